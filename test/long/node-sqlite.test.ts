import {execFile} from 'node:child_process';
import {resolve} from 'node:path';
import {promisify} from 'node:util';
import test from 'ava';
import {nodeOf} from '../contract/package/node-versions.ts';
import {isNight} from '../support/night.ts';

const ava = resolve('node_modules', 'ava', 'entrypoints', 'cli.mjs');
const suites = ['store/host-clients', 'store/host-sqlite', 'races', 'kills', 'exactly-once'];
const check = isNight && process.version.startsWith('v20.') ? test : test.skip;

check('a database of node:sqlite that the site has open passes what the others pass, on Node.js 22', async (t) => {
  t.timeout(1_800_000);
  const files = suites.map((name) => `test/engines/${name}.test.ts`);
  const {stdout} = await promisify(execFile)(
    await nodeOf('22'),
    [ava, '--timeout=10m', '--match=*node:sqlite*', ...files],
    {maxBuffer: 2 ** 26},
  );
  const [, passed = '0'] = /(\d+) tests? passed/.exec(stdout) ?? [];
  t.log(`${passed} tests passed`);
  t.false(/skipped|failed/.test(stdout));
  t.true(Number(passed) > suites.length);
});
