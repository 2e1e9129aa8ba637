import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import {install} from '../contract/package/installation.ts';
import {packed} from '../contract/package/tarball.ts';
import {onDemand} from '../support/on-demand.ts';
import {thisFile} from '../support/this-file.ts';

const run = promisify(execFile);
const owner = thisFile();

/** Faked timers stand still, and the faked clock is set. `fake` and `set` are those of a framework. */
const body = `
for (const store of ['memory:', 'sqlite::memory:']) {
  const shortener = shortUrl({baseUrl: 'http://localhost', store});
  const server = new Koa().use(shortener).listen(0, '127.0.0.1');
  fake(Date.parse('2031-05-06T12:00:00Z'));
  await shortener.accounts.create('ann');
  const {shortUrl: link, shortUrlPart} = await shortener.links.create('ann', {
    url: 'https://example.org/',
    expiryDate: '2031-05-06',
  });
  const visit = async () => {
    const address = 'http://localhost:' + server.address().port + '/' + shortUrlPart;
    return (await fetch(address, {redirect: 'manual', headers: {'User-Agent': 'Mozilla/5.0 Firefox/140.0'}})).status;
  };
  assert.equal(await visit(), 302);
  set(Date.parse('2031-05-07T12:00:00Z'));
  assert.equal((await shortener.links.info('ann', link)).status, 'expired');
  assert.equal(await visit(), 410);
  const {days} = await shortener.links.stats('ann', link);
  assert.deepEqual(days.map(({date}) => date), ['2031-05-06']);
  restore();
  await new Promise((done) => {
    server.close(done);
    server.closeAllConnections();
  });
  await shortener.close();
}`;

const imports = `
import assert from 'node:assert/strict';
import Koa from 'koa';
import {shortUrl} from 'koa-short-url';`;

const required = imports.replaceAll(/import (.*) from (.*);/g, 'const $1 = require($2);');

/** A test file of each framework, and the arguments of Node.js that run it. */
const frameworks: Readonly<Record<string, {readonly file: string; readonly text: string; readonly command: string[]}>> =
  {
    'node:test': {
      file: 'site.node.mjs',
      text: `${imports}
import {mock, test} from 'node:test';
const fake = (now) => mock.timers.enable({apis: ['setTimeout', 'setInterval', 'setImmediate', 'Date'], now});
const set = (now) => mock.timers.setTime(now);
const restore = () => mock.timers.reset();
test('links', async () => {${body}
});`,
      command: ['--test', 'site.node.mjs'],
    },
    sinon: {
      file: 'site.sinon.mjs',
      text: `${imports}
import sinon from 'sinon';
const names = ['setTimeout', 'setInterval', 'setImmediate', 'Date'];
let clock;
const fake = (now) => {
  clock = sinon.useFakeTimers({now, toFake: names});
};
const set = (now) => clock.setSystemTime(now);
const restore = () => clock.restore();
${body}`,
      command: ['site.sinon.mjs'],
    },
    Jest: {
      file: 'site.jest.cjs',
      text: `${required}
const fake = (now) => jest.useFakeTimers({now, doNotFake: ['nextTick', 'queueMicrotask']});
const set = (now) => jest.setSystemTime(now);
const restore = () => jest.useRealTimers();
test('links', async () => {${body}
});`,
      command: ['node_modules/jest/bin/jest.js', '--testMatch', '**/*.jest.cjs'],
    },
    Vitest: {
      file: 'vitest/site.test.mjs',
      text: `${imports}
import {test, vi} from 'vitest';
const fake = (now) => vi.useFakeTimers({now});
const set = (now) => vi.setSystemTime(now);
const restore = () => vi.useRealTimers();
test('links', async () => {${body}
});`,
      command: ['node_modules/vitest/vitest.mjs', 'run', '--dir', 'vitest'],
    },
  };

let project: Promise<string> | undefined;

async function installed(): Promise<string> {
  const packages = {koa: '3', libsql: '0.5', jest: '30', vitest: '4', vite: '8.3.8', sinon: '>=21'};
  return install(owner, {
    packages: {...packages, 'koa-short-url': `file:${await packed(owner)}`},
    files: Object.fromEntries(Object.values(frameworks).map(({file, text}) => [file, text])),
  });
}

for (const [name, {command}] of Object.entries(frameworks)) {
  onDemand(`links are created, visited and expire under the fake timers of ${name}`, async (t) => {
    t.timeout(600_000);
    const cwd = await (project ??= installed());
    await t.notThrowsAsync(run(process.execPath, command, {cwd}));
  });
}
