import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import test from 'ava';
import {isNight} from './night.ts';

const run = promisify(execFile);

/** Why no packages can be installed here. In CI this fails instead. */
async function whyNoPackages(): Promise<string | undefined> {
  try {
    await run('npm', ['view', 'koa', 'version']);
    return undefined;
  } catch (error) {
    if (process.env['CI'] === 'true') throw error;
    return `no packages can be installed: ${String(error)}`;
  }
}

const reason = isNight ? await whyNoPackages() : undefined;
if (reason !== undefined) console.warn(`Skipped: ${reason}`);

/** Declares a test that installs packages of other hosts. It runs at night. */
export const onDemand = isNight && reason === undefined ? test.serial : test.serial.skip;
