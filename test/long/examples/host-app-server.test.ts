import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {text} from 'node:stream/consumers';
import test, {type ExecutionContext} from 'ava';
import Koa from 'koa';
import {listen} from '../../support/listen.ts';
import {apiKeyOf, Browser} from '../../support/examples/browser.ts';
import {rowOf} from '../../support/dashboard.ts';
import {createLink, logIn, register} from '../../support/examples/stage.ts';
import {openAsPerson} from '../../support/visitor.ts';

const server = new URL('../../../examples/host-app/server.ts', import.meta.url).pathname;

interface Running {
  readonly child: ChildProcess;
  readonly origin: string;
  readonly lines: string[];
}

/** Starts the site as `npm start` does, and waits for the line with its address. */
async function start(t: ExecutionContext, environment: Record<string, string>): Promise<Running> {
  const child = spawn(process.execPath, ['--import', 'tsx', server], {
    env: {PATH: process.env['PATH'], PORT: '0', ...environment},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const lines: string[] = [];
  const output = createInterface(child.stdout);
  output.on('line', (line) => lines.push(line));
  createInterface(child.stderr).on('line', (line) => {
    t.log(line);
  });
  await Promise.race([once(output, 'line'), once(child, 'exit')]);
  const origin = /http:\/\/\S+/.exec(lines[0] ?? '')?.[0];
  if (origin === undefined) throw new Error(`The server did not start: ${lines.join('\n')}`);
  return {child, origin, lines};
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<unknown[]> {
  const exit = once(child, 'exit');
  child.kill(signal);
  return exit;
}

async function temporaryDirectory(t: ExecutionContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'host-app-'));
  t.teardown(() => rm(directory, {recursive: true}));
  return directory;
}

test('a signal ends the server with code 0, and after a restart user, link and visits are still there', async (t) => {
  const directory = await temporaryDirectory(t);
  const environment = {
    STORE: `sqlite:${join(directory, 'site.db')}`,
    SHORT_URL_SECRET: 'a secret for tests, and for nothing else',
  };
  const first = await start(t, environment);
  const browser = new Browser(first.origin);
  await register(browser);
  const apiKey = apiKeyOf((await browser.open('/account/api')).text);
  t.truthy(apiKey);
  await createLink(browser, {url: 'https://example.com/', custom_url: 'spring'});
  t.is((await openAsPerson(`${first.origin}/spring`)).status, 302);
  t.deepEqual(await end(first.child, 'SIGTERM'), [0, null]);

  const second = await start(t, environment);
  const later = new Browser(second.origin);
  t.is((await logIn(later)).status, 303);
  t.is(apiKeyOf((await later.open('/account/api')).text), apiKey);
  const {text} = await later.open('/account');
  t.regex(rowOf(text, `${second.origin}/spring`) ?? '', /class="links-visits">\s*1\s*</);
  t.deepEqual(await end(second.child, 'SIGINT'), [0, null]);
  t.false(second.lines.some((line) => line.includes(apiKey ?? '')));
});

test('a port in use ends the server with code 1 and a message that names PORT', async (t) => {
  const {port} = await listen(t, new Koa());
  const child = spawn(process.execPath, ['--import', 'tsx', server], {
    env: {PATH: process.env['PATH'], PORT: String(port), STORE: 'memory:'},
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const [told] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  t.is(child.exitCode, 1);
  t.is(told, `Port ${port} is in use: choose another one with PORT, such as PORT=${port + 1}\n`);
});
