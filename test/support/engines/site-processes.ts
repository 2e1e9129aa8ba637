import {type ChildProcess, fork} from 'node:child_process';
import {once} from 'node:events';
import {Agent} from 'node:http';
import type {ExecutionContext} from 'ava';
import type {ShortUrlConversions} from '../../../src/index.ts';
import {judgeAnswer} from '../judge.ts';
import {exchange, type Ask, type Data, type Reply} from '../request.ts';
import {type Options, segments} from '../site.ts';
import {compiled} from './compiled.ts';
import type {Engine, EngineOptions} from './engines.ts';
import type {Converted, Notice, Start} from './site-process.ts';

/** Options of a site besides those of its engine. */
export type Limits = Pick<Options, 'passwordAttempts' | 'createQuota' | 'attribution' | 'confirm'>;

type StartSite = (
  t: ExecutionContext,
  engine: Engine,
  options: EngineOptions & Limits,
  program?: string,
) => Promise<SiteProcess>;

/**
 * Returns a function that starts sites in their own processes. Call this while tests are declared.
 *
 * @param program see `Start`
 */
export function siteProcesses(): StartSite {
  const script = compiled('test/support/engines/site-process.ts');
  return async (t, {name, open}, options, program) => {
    const start: Start = {options, opens: open && name, program};
    return SiteProcess.start(t, await script(), start);
  };
}

export class SiteProcess {
  /** The failures that the host was told of. */
  readonly failures: string[];
  /** The short URLs of the links that it has announced as expired. */
  readonly expired: string[];
  /** Closes it as a host does, also after each test. Rejects if its process does not end by itself then. */
  readonly close: () => Promise<void>;
  readonly #child: ChildProcess;
  readonly #port: number;
  readonly #agent: Agent;
  readonly #isOurs: boolean;

  private constructor(
    child: ChildProcess,
    port: number,
    agent: Agent,
    {failures, expired, close}: Pick<SiteProcess, 'failures' | 'expired' | 'close'>,
    isOurs: boolean,
  ) {
    this.failures = failures;
    this.expired = expired;
    this.close = close;
    this.#child = child;
    this.#port = port;
    this.#agent = agent;
    this.#isOurs = isOurs;
  }

  static async start(t: ExecutionContext, script: string, start: Start): Promise<SiteProcess> {
    const child = fork(script, {execArgv: []});
    const agent = new Agent({keepAlive: true});
    const told = {failures: [] as string[], expired: [] as string[]};
    let resources: readonly string[] | undefined;
    const close = async (): Promise<void> => {
      agent.destroy();
      if (await endsByItself(child)) return;
      await end(child);
      throw new Error(`A site does not end: ${resources ? `it has left ${resources.join()}` : 'it was not closed'}`);
    };
    t.teardown(close);
    const port = await new Promise<number>((resolve, reject) => {
      child.on('message', (notice: Notice) => {
        if ('port' in notice) resolve(notice.port);
        else if ('expired' in notice) told.expired.push(notice.expired);
        else if ('failure' in notice) told.failures.push(notice.failure);
        else resources = notice.resources;
      });
      child.once('exit', (code) => {
        reject(new Error(`The site ended with ${String(code)}`));
      });
      child.send(start);
    });
    return new SiteProcess(child, port, agent, {...told, close}, start.program === undefined);
  }

  /**
   * Sends one request, and checks the shortener's answer against the description of the API, unless another version gave
   * it. Rejects if the process is killed before it has answered.
   */
  async request(ask: Ask): Promise<Reply> {
    const reply = await exchange(this.#port, this.#agent, ask);
    if (this.#isOurs) await judgeAnswer(ask, '', reply);
    return reply;
  }

  /** An API call. */
  async api(key: string, operation: string, parameters: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.request({path: `/api/v1/${key}/shorturl/${segments(operation, parameters)}.json`});
  }

  /** An API call by POST. */
  async post(key: string, operation: string, body: object, headers: Ask['headers'] = {}): Promise<Reply> {
    return this.request({
      method: 'POST',
      path: `/api/v1/shorturl/${operation}`,
      headers: {Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers},
      body: JSON.stringify(body),
    });
  }

  /** An API call that must succeed. */
  async data(key: string, operation: string, parameters: Readonly<Record<string, string>> = {}): Promise<Data> {
    const reply = await this.api(key, operation, parameters);
    if (reply.status !== 200) throw new Error(`${operation} answered ${reply.status}: ${reply.text}`);
    return reply.json().data;
  }

  async visit(shortUrl: string, ask: Pick<Ask, 'headers' | 'method'> = {}): Promise<Reply> {
    return this.request({...ask, path: new URL(shortUrl).pathname});
  }

  /** Sends the password form of a short URL. */
  async submit(shortUrl: string, password: string): Promise<Reply> {
    return this.request({
      method: 'POST',
      path: new URL(shortUrl).pathname,
      headers: {'Content-Type': 'application/x-www-form-urlencoded'},
      body: new URLSearchParams({password}).toString(),
    });
  }

  /** A call of a method of `shortener.conversions` by the site's own code. */
  async convert(method: keyof ShortUrlConversions, ...given: readonly unknown[]): Promise<Converted> {
    const query = new URLSearchParams({given: JSON.stringify(given)});
    const {text} = await this.request({path: `/conversions/${method}?${query.toString()}`});
    return JSON.parse(text) as Converted;
  }

  /** The key of an account, which is created if needed. Rejects if the process is killed before it has answered. */
  async register(account: string): Promise<string> {
    return this.#apiKey('create', account);
  }

  /** Rotates the key of an account, and returns the new one. */
  async rotate(account: string): Promise<string> {
    return this.#apiKey('rotate', account);
  }

  async #apiKey(page: 'create' | 'rotate', account: string): Promise<string> {
    const reply = await this.request({path: `/account/${page}?account=${account}`});
    return (JSON.parse(reply.text) as {apiKey: string}).apiKey;
  }

  /** Kills it as `kill -9` does; resolves when it has ended. */
  async kill(): Promise<void> {
    await end(this.#child);
  }
}

const hasEnded = ({exitCode, signalCode}: ChildProcess): boolean => exitCode !== null || signalCode !== null;

/** How long a site may take to end, in milliseconds: `close` waits for visits, and a busy machine for everything. */
const patience = 30_000;

/** Closes the site of a process, unless the process was killed, and resolves with whether the process has ended. */
async function endsByItself(child: ChildProcess): Promise<boolean> {
  if (hasEnded(child)) return true;
  const exit = once(child, 'exit', {signal: AbortSignal.timeout(patience)});
  child.send('close');
  return exit.then(
    () => true,
    () => false,
  );
}

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
