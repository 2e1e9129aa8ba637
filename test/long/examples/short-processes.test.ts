import {once} from 'node:events';
import {Agent, type IncomingMessage, request} from 'node:http';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {type ShortUrl, shortUrl} from 'koa-short-url';
import {urlSafe} from '../../support/base64.ts';
import {type Program, runExample} from '../../support/examples/program.ts';
import {type Visit, visitorOn} from '../../support/examples/visitor.ts';
import {temporaryFolder} from '../../support/folder.ts';

const url = 'https://destination.example/page';
const secret = 'a secret for this test, and for nothing else';
const baseUrl = 'http://localhost';
const page = `${baseUrl}/`;

interface Running extends Program {
  /** Waits for the next process of the program that listens. */
  readonly listening: () => Promise<{pid: number; port: number}>;
  /** A shortener on the store of the program. */
  readonly shortener: ShortUrl;
}

async function start(t: ExecutionContext, example: string, environment: Record<string, string> = {}): Promise<Running> {
  const store = `sqlite:${join(await temporaryFolder(t), 'links.db')}`;
  const shortener = shortUrl({baseUrl, store, secret, storeTimeout: 20_000});
  await shortener.accounts.create('ann');
  t.teardown(() => shortener.close());
  const settings = {BASE_URL: baseUrl, STORE: store, SHORT_URL_SECRET: secret};
  const program = runExample(t, example, {...settings, ...environment});
  const listening = async (): Promise<{pid: number; port: number}> => {
    const line = await program.nextLine();
    const [pid = 0, port = 0] = Array.from(line?.matchAll(/\d+/g) ?? [], ([number]) => Number(number));
    if (port === 0) throw new Error(`The program says: ${String(line)}\n${program.complaints.join('\n')}`);
    return {pid, port};
  };
  return {...program, listening, shortener};
}

/** Visits again and again, over kept and new connections, until the port is closed. */
class Crowd {
  answered = 0;
  readonly end: Promise<unknown>;
  readonly #agents = [new Agent({keepAlive: true}), new Agent()];
  readonly #waiting: Array<() => void> = [];

  constructor(port: number, shortUrl: string) {
    const visits = this.#agents.flatMap((agent) => Array<Visit>(4).fill(visitorOn(port, agent)));
    this.end = Promise.all(visits.map((visit) => this.#keepVisiting(visit, shortUrl))).finally(() => {
      for (const agent of this.#agents) agent.destroy();
    });
  }

  /** Resolves after so many more visits. */
  async hasVisited(times: number): Promise<void> {
    const enough = this.answered + times;
    const endedEarly = this.end.then(() => Promise.reject(new Error('Nobody listens any more')));
    while (this.answered < enough) {
      await Promise.race([endedEarly, new Promise<void>((resolve) => this.#waiting.push(resolve))]);
    }
    // Later it is not a failure.
    endedEarly.catch(() => undefined);
  }

  async #keepVisiting(visit: Visit, shortUrl: string): Promise<void> {
    for (;;) {
      try {
        const {status} = await visit(shortUrl);
        if (status === 302) this.answered++;
        // A machine that has a lot to do may keep the store waiting for too long; such a visit is not counted.
        else if (status !== 503) throw new Error(`A visitor got ${status}`);
      } catch (error) {
        const {code} = error as NodeJS.ErrnoException;
        if (code === 'ECONNREFUSED') return;
        // A kept connection was closed while idle, so the request was not read.
        if (code !== 'ECONNRESET' && code !== 'EPIPE') throw error;
      }
      for (const resolve of this.#waiting.splice(0)) resolve();
    }
  }
}

test('a server asked to end answers the requests under way, loses no visit and ends with code 0', async (t) => {
  const {child, exit, listening, shortener} = await start(t, 'graceful-shutdown.ts');
  const {port} = await listening();
  const link = await shortener.links.create('ann', {url});
  const slow = await shortener.links.create('ann', {url, password: 'hush-hush'});

  const form = {'Content-Type': 'application/x-www-form-urlencoded', Expect: '100-continue'};
  const headers = {...form, 'User-Agent': 'Mozilla/5.0 Firefox/140.0'};
  const agent = new Agent({keepAlive: true});
  const pending = request({port, agent, method: 'POST', path: new URL(slow.shortUrl).pathname, headers});
  pending.flushHeaders();
  // The server has read the request, and waits for the form.
  await once(pending, 'continue');
  const crowd = new Crowd(port, link.shortUrl);
  await crowd.hasVisited(50);
  child.kill('SIGTERM');
  child.kill('SIGINT');
  await crowd.end;

  pending.end('password=hush-hush');
  const [response] = (await once(pending, 'response')) as [IncomingMessage];
  t.is(response.statusCode, 303);
  response.resume();
  t.deepEqual(await exit, [0, null]);
  t.is((await shortener.links.info('ann', link.shortUrl)).totalVisits, crowd.answered);
  t.is((await shortener.links.info('ann', slow.shortUrl)).totalVisits, 1);
});

test('processes on one port share everything, replace one that is killed, and end together', async (t) => {
  const {child, exit, listening, shortener} = await start(t, 'worker-processes.ts', {WORKERS: '3'});
  const workers = [await listening(), await listening(), await listening()];
  const pids = new Set(workers.map(({pid}) => pid));
  const [port = 0, ...others] = new Set(workers.map((worker) => worker.port));
  t.is(pids.size, 3);
  t.deepEqual(others, []);

  // A new connection for each request, so that each may reach another process.
  const visit = visitorOn(port, new Agent());
  const answering = new Set<number>();
  for (let tries = 0; tries < 100 && answering.size < 3; tries++) {
    answering.add(Number(/\d+/.exec((await visit(page)).text)?.[0]));
  }
  // They answer in any order.
  t.deepEqual([...answering].toSorted(), [...pids].toSorted());

  const apiKey = (await shortener.accounts.apiKey('ann')) ?? '';
  const call = `${baseUrl}/api/v1/${apiKey}/shorturl/create/custom_url/spring/url/${urlSafe(url)}.json`;
  const replies = await Promise.all(Array.from({length: 12}, () => visit(call)));
  t.deepEqual(replies.map(({status}) => status).toSorted(), [200, ...Array<number>(11).fill(409)]);

  const shortUrl = `${baseUrl}/spring`;
  await Promise.all(Array.from({length: 30}, () => visit(shortUrl)));
  t.is((await shortener.links.info('ann', shortUrl)).totalVisits, 30);

  const [victim = 0, ...rest] = pids;
  process.kill(victim, 'SIGKILL');
  const successor = await listening();
  t.false(pids.has(successor.pid));
  t.is(successor.port, port);

  const crowd = new Crowd(port, shortUrl);
  await crowd.hasVisited(50);
  child.kill('SIGTERM');
  await crowd.end;
  t.deepEqual(await exit, [0, null]);
  for (const pid of [...rest, successor.pid]) t.throws(() => process.kill(pid, 0), {code: 'ESRCH'});
  t.is((await shortener.links.info('ann', shortUrl)).totalVisits, 30 + crowd.answered);
});
