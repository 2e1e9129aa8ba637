/** What a counted redirect costs beside a bare one, on every engine: `npm run bench`. */
import {type ChildProcess, fork} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {format, resolveConfig} from 'prettier';
import {range} from '../test/engines/crowd.ts';
import {engines, freshOn, whyMissing} from '../test/engines/engines.ts';
import {connections, load, onCore, versionOfGenerator} from './load.ts';
import type {Order, Reply, ServerKind, Start} from './redirect-server.ts';
import {chartOf, type Creates, reportOf, type Subject} from './redirect-report.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const seconds = Number(process.env['BENCH_SECONDS'] ?? 4);
const links = Number(process.env['BENCH_LINKS'] ?? 100_000);
const names = (process.env['BENCH_ENGINES'] ?? 'memory,sqlite,redis,postgres,mysql').split(',');
const asked = 200_000;

interface Target extends Subject {
  readonly server: Server;
  readonly paths: string;
}

class Server {
  readonly #child: ChildProcess;
  readonly name: string;
  port = 0;

  private constructor(name: string, child: ChildProcess) {
    this.name = name;
    this.#child = child;
  }

  static async start(name: string, kind: ServerKind, options: Start['options'] = {}): Promise<Server> {
    const [execPath, ...execArgv] = onCore(0, process.execPath, '--import', 'tsx');
    const script = fileURLToPath(new URL('redirect-server.ts', import.meta.url));
    const env = {...process.env, NODE_ENV: 'production', NODE_NO_WARNINGS: '1'};
    const server = new Server(name, fork(script, {execPath, execArgv, env}));
    const {port = 0} = await server.#ask({kind, options});
    server.port = port;
    return server;
  }

  order(order: Exclude<Order, 'close'>): Promise<Reply> {
    return this.#ask(order);
  }

  async close(): Promise<void> {
    this.#child.send('close' satisfies Order);
    await once(this.#child, 'exit');
  }

  async #ask(message: Start | Order): Promise<Reply> {
    this.#child.send(message);
    const given = new AbortController();
    const ended = once(this.#child, 'exit', given).then(() => {
      throw new Error(`The server of ${this.name} ended`);
    });
    try {
      const [reply] = (await Promise.race([once(this.#child, 'message', given), ended])) as [Reply];
      return reply;
    } finally {
      ended.catch(() => undefined);
      given.abort();
    }
  }
}

const undos: Array<() => unknown> = [];
const owner = {teardown: (undo: () => unknown) => void undos.push(undo)};
const folder = fileURLToPath(new URL('results/', import.meta.url));
const scratch = join(folder, 'paths');
mkdirSync(scratch, {recursive: true});
owner.teardown(() => {
  rmSync(scratch, {recursive: true, force: true});
});

const generator = await versionOfGenerator();
const targets: Target[] = [];
const creates: Creates[] = [];
try {
  await startBaselines();
  const ours = await startOurs();
  await createLinks(ours);
  await startPages();
  await measure();
  for (const server of ours) await checkVisits(server);
  const results = {rounds, seconds, links, connections, generator, subjects: targets.map(bare), creates};
  await write('redirects.json', JSON.stringify(results));
  await write('redirects.md', reportOf(results));
  writeFileSync(join(folder, 'redirects.svg'), chartOf(results));
} finally {
  for (const undo of undos.reverse()) await undo();
}
process.exit();

/** As the formatter wants it, so that it can be committed as it is. */
async function write(name: string, text: string): Promise<void> {
  const filepath = join(folder, name);
  writeFileSync(filepath, await format(text, {...(await resolveConfig(filepath)), filepath}));
}

function bare({name, group, runs}: Target): Subject {
  return {name, group, runs};
}

async function start(name: string, kind: ServerKind, options: Start['options'] = {}): Promise<Server> {
  const server = await Server.start(name, kind, options);
  owner.teardown(() => server.close());
  return server;
}

function pathsFile(name: string, paths: readonly string[]): string {
  const file = join(scratch, `${name.replaceAll(/\W+/g, '-')}.txt`);
  writeFileSync(file, paths.join('\n'));
  return file;
}

async function startBaselines(): Promise<void> {
  const paths = pathsFile('baseline', ['/measured']);
  for (const [kind, name] of [
    ['node', 'node:http alone'],
    ['koa', 'Koa, only `ctx.redirect(url)`'],
    ['router', 'Koa, @koa/router and a Map'],
  ] as const) {
    targets.push({name, group: 'redirect', runs: [], server: await start(name, kind), paths});
  }
}

async function startOurs(): Promise<Server[]> {
  const servers: Server[] = [];
  for (const engine of engines.filter(({name}) => names.includes(name))) {
    const missing = await whyMissing(engine);
    if (missing === undefined) servers.push(await start(engine.name, 'links', await freshOn(engine, owner)));
    else console.warn(`Left out: ${missing}`);
  }
  return servers;
}

/** In rounds, because a disk has better and worse seconds. */
async function createLinks(servers: readonly Server[]): Promise<void> {
  const made = new Map<Server, string[]>(servers.map((server) => [server, []]));
  const figures = new Map<Server, number[]>(servers.map((server) => [server, []]));
  const count = links / rounds;
  for (const round of range(rounds)) {
    for (const server of servers) {
      const {paths = [], milliseconds = 0} = await server.order({create: count});
      made.get(server)?.push(...paths);
      figures.get(server)?.push((count / milliseconds) * 1000);
      console.log(`create, round ${round + 1}: ${server.name} ${((count / milliseconds) * 1000).toFixed(0)}/s`);
    }
  }
  for (const [server, paths] of made) {
    creates.push({engine: server.name, perSecond: figures.get(server) ?? []});
    const hot = pathsFile(`${server.name} hot`, paths.slice(0, 1));
    const many = pathsFile(`${server.name} many`, zipf(paths, asked));
    targets.push({name: `${server.name}, one link`, group: 'redirect', runs: [], server, paths: hot});
    targets.push({name: `${server.name}, many links`, group: 'redirect', runs: [], server, paths: many});
  }
}

async function startPages(): Promise<void> {
  const paths = pathsFile('page', ['/about']);
  for (const [kind, name] of [
    ['page', 'host page, not mounted'],
    ['page-deferred', 'host page, mounted'],
    ['page-reserved', 'host page, mounted with `defer: false`, its name reserved'],
    ['page-links-first', 'host page, mounted with `defer: false`, its name looked up'],
  ] as const) {
    const server = await start(name, kind, {store: 'memory:'});
    targets.push({name, group: 'page', runs: [], server, paths});
  }
}

/** Every subject once a round, each round beginning with another one, so that none has the better seconds. */
async function measure(): Promise<void> {
  for (const {server, paths} of targets) await load(server.port, paths, Math.min(2, seconds));
  for (const round of range(rounds)) {
    for (const index of range(targets.length)) {
      const subject = targets[(index + round * 5) % targets.length];
      if (subject === undefined) continue;
      const measured = await load(subject.server.port, subject.paths, seconds);
      subject.runs.push(measured);
      const perSecond = (measured.requests / measured.microseconds) * 1e6;
      console.log(`round ${round + 1}: ${subject.name} ${perSecond.toFixed(0)}/s`);
    }
  }
}

/** A redirect that was answered is a visit that is stored; those that were cut off at the end of a run may be, too. */
async function checkVisits(server: Server): Promise<void> {
  const runs = targets.filter((target) => target.server === server).flatMap((target) => target.runs);
  const {visits = 0} = await server.order('count');
  const answered = runs.reduce((sum, {requests}) => sum + requests, 0);
  if (visits < answered) throw new Error(`${server.name}: ${visits} visits are stored of ${answered} answered`);
}

/** A number of visits, of which the link of rank n gets a share of 1/n, in an order that is the same every time. */
function zipf(paths: readonly string[], count: number): string[] {
  const sums: number[] = [];
  for (const rank of range(paths.length)) sums.push((sums.at(-1) ?? 0) + 1 / (rank + 1));
  let seed = 1;
  return range(count).map(() => {
    seed = (seed * 48_271) % 2_147_483_647;
    const drawn = (seed / 2_147_483_647) * (sums.at(-1) ?? 0);
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < drawn) low = middle + 1;
      else high = middle;
    }
    return paths[low] ?? '';
  });
}
