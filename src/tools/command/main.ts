#!/usr/bin/env node
/** The command `koa-short-url`. */
import {runProgram} from './program.ts';

process.exitCode = await runProgram(process.argv.slice(2), process);
