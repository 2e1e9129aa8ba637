import {once} from 'node:events';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import Koa from 'koa';
import {rowOf} from '../../support/dashboard.ts';
import {apiKeyOf, Browser} from '../../support/examples/browser.ts';
import {type Program, runExample} from '../../support/examples/program.ts';
import {createLink, logIn, register} from '../../support/examples/stage.ts';
import {temporaryFolder} from '../../support/folder.ts';
import {listen} from '../../support/listen.ts';
import {openAsPerson} from '../../support/visitor.ts';

interface Running extends Program {
  readonly origin: string;
}

/** Starts the site as `npm start` does, and waits for the line with its address. */
async function start(t: ExecutionContext, environment: Record<string, string>): Promise<Running> {
  const program = runExample(t, 'host-app/server.ts', environment);
  const origin = /http:\/\/\S+/.exec((await program.nextLine()) ?? '')?.[0];
  if (origin === undefined) throw new Error(`The server did not start: ${program.complaints.join('\n')}`);
  return {...program, origin};
}

async function end({child, exit}: Running, signal: NodeJS.Signals): Promise<unknown[]> {
  child.kill(signal);
  return exit;
}

test('a signal ends the server with code 0, and after a restart user, link and visits are still there', async (t) => {
  const environment = {
    STORE: `sqlite:${join(await temporaryFolder(t), 'site.db')}`,
    SHORT_URL_SECRET: 'a secret for tests, and for nothing else',
  };
  const first = await start(t, environment);
  const browser = new Browser(first.origin);
  await register(browser);
  const apiKey = apiKeyOf((await browser.open('/account/api')).text);
  t.truthy(apiKey);
  await createLink(browser, {url: 'https://example.com/', custom_url: 'spring'});
  t.is((await openAsPerson(`${first.origin}/spring`)).status, 302);
  t.deepEqual(await end(first, 'SIGTERM'), [0, null]);

  const second = await start(t, environment);
  const later = new Browser(second.origin);
  t.is((await logIn(later)).status, 303);
  t.is(apiKeyOf((await later.open('/account/api')).text), apiKey);
  const {text} = await later.open('/account');
  t.regex(rowOf(text, `${second.origin}/spring`) ?? '', /class="links-visits">\s*1\s*</);
  t.deepEqual(await end(second, 'SIGINT'), [0, null]);
  t.false(second.lines.some((line) => line.includes(apiKey ?? '')));
});

test('a port in use ends the server with code 1 and a message that names PORT', async (t) => {
  const {port} = await listen(t, new Koa());
  const {child, complaints} = runExample(t, 'host-app/server.ts', {PORT: String(port), STORE: 'memory:'});
  await once(child, 'close');
  t.is(child.exitCode, 1);
  t.deepEqual(complaints, [`Port ${port} is in use: choose another one with PORT, such as PORT=${port + 1}`]);
});
