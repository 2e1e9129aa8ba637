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

/** Why a test that installs packages of other hosts does not run now; undefined if it does. */
export const noPackages = isNight ? await whyNoPackages() : 'packages are installed at night';
if (isNight && noPackages !== undefined) console.warn(`Skipped: ${noPackages}`);

/** Declares a test that installs packages of other hosts. It runs at night. */
export const onDemand = noPackages === undefined ? test.serial : test.serial.skip;
