import {setTimeout as delay} from 'node:timers/promises';
import Database from 'libsql';
import {connectTo} from '../store/sqlite-connection.ts';
import {TcpProxy} from '../store/tcp-proxy.ts';
import {proxiedRedisCluster, sentinelOf} from './cluster.ts';
import {range} from './crowd.ts';
import {type Engine, type EngineOptions, freshOn, storeOn} from './engines.ts';
import {sharedRedis} from './servers.ts';
import type {Owner} from '../owner.ts';

/** Causes one failure between a site and its engine, for `length` milliseconds. Resolves when it is over. */
export type Cut = (length: number) => Promise<void>;

/** The connection of some sites to their engine. */
export interface Way {
  readonly store: string;
  /** Undefined if the engine is a file. */
  readonly proxy?: TcpProxy;
  /** The failures by name, which are the same for all ways to an engine. */
  readonly cuts: Readonly<Record<string, Cut>>;
}

/** Milliseconds; far more than a healthy engine needs on a busy machine, and short enough for many cuts. */
export const storeTimeout = 500;

/** A fresh place on the engine, and up to `count` ways to it that fail independently. */
export async function waysTo(
  engine: Engine,
  owner: Owner,
  count: number,
): Promise<{options: EngineOptions; ways: readonly Way[]}> {
  if (engine.place === 'cluster') {
    const {store, proxies} = await proxiedRedisCluster(owner);
    const options = await freshOn({...engine, fresh: () => Promise.resolve({store})}, owner);
    return {options, ways: proxies.map((proxy) => ({store, proxy, cuts: cutsOf(proxy)}))};
  }
  const options = await freshOn(engine, owner);
  if (engine.place === 'file') return {options, ways: [failingFile(engine, options.store, owner)]};
  const way = engine.place === 'sentinel' ? behindSentinel : proxied;
  return {options, ways: await Promise.all(range(count).map(() => way(options.store, owner)))};
}

async function proxied(store: string, owner: Owner): Promise<Way> {
  const proxy = await TcpProxy.start(owner, Number(new URL(store).port));
  return {store: proxy.through(store), proxy, cuts: cutsOf(proxy)};
}

/** Only the way to the server that the Sentinel names fails. */
async function behindSentinel(_store: string, owner: Owner): Promise<Way> {
  const proxy = await TcpProxy.start(owner, Number(new URL(sharedRedis).port));
  return {store: await sentinelOf(owner, proxy.port), proxy, cuts: cutsOf(proxy)};
}

function cutsOf(proxy: TcpProxy): Way['cuts'] {
  return {
    'connections end': async () => {
      void proxy.endConnections();
    },
    'connections are reset': async () => {
      void proxy.resetConnections();
    },
    'the server is unreachable': async (length) => {
      await proxy.cut();
      await delay(length);
      await proxy.mend();
    },
    'silence, and the requests arrive late': async (length) => {
      proxy.silence();
      await delay(storeTimeout + length);
      await proxy.mend();
    },
    'silence, and the requests never arrive': async (length) => {
      proxy.silence();
      await delay(storeTimeout + length);
      void proxy.endConnections();
      await proxy.mend();
    },
    'the requests arrive after later ones': async (length) => {
      proxy.strand();
      await delay(storeTimeout + length);
      await proxy.mend();
    },
    'answers are lost': async (length) => {
      proxy.dropAnswers();
      await delay(length);
      await proxy.mend();
    },
  };
}

/** A file has no connection to cut: a commit fails, or another process holds the lock too long. */
function failingFile(engine: Engine, store: string, owner: Owner): Way {
  const commits = new FailingCommits(owner);
  const client = storeOn(engine, store, owner);
  const isOpen = typeof client === 'object' && 'exec' in client;
  const other = isOpen ? client : connectTo(store.replace('sqlite:', ''));
  if (!isOpen) owner.teardown(() => other.close());
  return {
    store,
    cuts: {
      'the disk is full': () => commits.fail('SQLITE_FULL', 'before'),
      'the disk fails': () => commits.fail('SQLITE_IOERR_FSYNC', 'before'),
      'the disk fails although the data was written': () => commits.fail('SQLITE_IOERR_FSYNC', 'after'),
      'another process holds the lock': async (length) => {
        other.exec('begin immediate');
        await delay(storeTimeout + length);
        other.exec('commit');
      },
    },
  };
}

interface CommitFailure {
  readonly code: string;
  readonly when: 'before' | 'after';
  readonly happened: () => void;
}

/** Makes commits of this process fail on request. */
class FailingCommits {
  readonly #failures: CommitFailure[] = [];

  constructor(owner: Owner) {
    const sqlite = process.getBuiltinModule('node:sqlite') as {DatabaseSync: typeof Database} | undefined;
    const failures = this.#failures;
    for (const {prototype} of [Database, ...(sqlite ? [sqlite.DatabaseSync] : [])]) {
      // oxlint-disable-next-line typescript/unbound-method
      const {exec} = prototype;
      prototype.exec = function (this: Database.Database, sql) {
        const failure = sql === 'commit' ? failures.shift() : undefined;
        if (failure?.when !== 'before') exec.call(this, sql);
        if (failure === undefined) return this;
        failure.happened();
        throw Object.assign(new Error('A commit failed, as the test wanted'), {code: failure.code});
      };
      owner.teardown(() => {
        prototype.exec = exec;
      });
    }
  }

  /** Resolves when a commit has failed. */
  fail(code: string, when: CommitFailure['when']): Promise<void> {
    return new Promise((resolve) => {
      this.#failures.push({code, when, happened: resolve});
    });
  }
}
