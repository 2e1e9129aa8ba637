import '../support/quick-scrypt.ts';
import {chmod, chown} from 'node:fs/promises';
import {fork} from 'node:child_process';
import {once} from 'node:events';
import {dirname, join} from 'node:path';
import test from 'ava';
import {shortUrl} from '../../src/index.ts';
import {type CheckReport, checkStore, plan} from '../../src/tools.ts';
import {postgresTables} from '../../src/store/engines/postgres/tables.ts';
import {sqlTables} from '../../src/store/engines/sql/driver.ts';
import {eachOf, sharedEngines} from '../support/engines/each.ts';
import {freshOn} from '../support/engines/engines.ts';
import {compiled} from '../support/engines/compiled.ts';
import {askMysql, askPostgres, newMysql, newPostgres} from '../support/engines/servers.ts';
import {temporaryFolder} from '../support/folder.ts';
import {forThisFile, missing} from '../support/store/own.ts';
import {RedisServer} from '../support/store/redis-server.ts';
import {run} from '../support/store/run.ts';
import {ofServers} from '../support/tools/findings.ts';
import {dump, fill, runSite} from '../support/tools/world.ts';

const onEach = await eachOf(sharedEngines);
const [noRedis, noPostgres, noMysql] = [await missing('redis'), await missing('postgres'), await missing('mysql')];
const onRedis = noRedis === undefined ? test : test.skip;
const onPostgres = noPostgres === undefined ? test : test.skip;
const onMysql = noMysql === undefined ? test : test.skip;
const postgres = forThisFile(newPostgres(), noPostgres);
const mysql = forThisFile(newMysql(), noMysql);
const script = compiled('test/support/tools/check-process.ts');
const secret = 'what seals the keys of these tests';

function codes({findings}: CheckReport, ...left: readonly string[]): string[] {
  return findings.map(({code}) => code).filter((code) => !left.includes(code));
}

onEach((check) => {
  check('a store in use is looked at without a change', async (t, engine) => {
    const options = {...(await freshOn(engine, t)), secret};
    const site = await runSite(t, options);
    await fill(site);
    const before = await dump(options);
    const report = await checkStore({...options, baseUrl: 'https://example.com'});
    t.deepEqual(codes(report, ...ofServers), [], JSON.stringify(report.findings));
    t.regex(
      report.version ?? '',
      /^(?:(?:Redis|Valkey|Postgres|MariaDB|MySQL) \d|SQLite [\d.]+ of (?:Node\.js|libsql)$)/,
    );
    t.is(report.engine, engine.name.replace('redis+cluster', 'redis'));
    t.deepEqual(await dump(options), before);
    for (const {message, remedy} of report.findings) t.regex(`${message} ${remedy}`, /^[A-Z].* \S/s);
  });

  check('a secret that opens no key, and a site on another domain, are problems', async (t, engine) => {
    const options = {...(await freshOn(engine, t)), secret};
    const {shortener} = await runSite(t, options);
    await shortener.accounts.create('ann');
    await shortener.links.create('ann', {url: 'https://destination.example/'});
    const wrong = {...options, secret: 'too short to be one', baseUrl: 'https://other.example'};
    const report = await checkStore(wrong);
    t.false(report.ok);
    t.deepEqual(codes(report, ...ofServers), ['short_secret', 'wrong_secret', 'other_domain']);
    t.notRegex(JSON.stringify(report), /too short to be one/);
    t.deepEqual(codes(await checkStore({store: options.store, namespace: options.namespace}), ...ofServers), []);
  });
});

onRedis('a Redis that saves nothing and drops keys would lose links', async (t) => {
  const server = await RedisServer.start(t, '--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru');
  const report = await checkStore({store: server.url});
  t.false(report.ok);
  t.deepEqual(codes(report), ['no_persistence', 'eviction']);
  await server.ask('CONFIG', 'SET', 'maxmemory-policy', 'volatile-lru');
  const {findings} = await checkStore({store: server.url});
  t.regex(findings.find(({code}) => code === 'eviction')?.message ?? '', /visit or an order .* a repeated create/);
  await server.ask('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
  await server.ask('CONFIG', 'SET', 'save', '60 1');
  const better = await checkStore({store: server.url});
  t.true(better.ok);
  t.deepEqual(codes(better), ['snapshots_only']);
});

onRedis(
  'a user without rights is told which are missing, and one that may not see the configuration says so',
  async (t) => {
    const server = await RedisServer.start(t, '--save', '60 1');
    await server.ask('ACL', 'SETUSER', 'reader', 'on', '>s3cret', '~*', '+@read', '+@connection', '+info', '+config');
    // As docs/deployment.md has it.
    await server.ask('ACL', 'SETUSER', 'site', 'on', '>s3cret', '~short_url::*', '+@all', '-@dangerous');
    const as = (user: string): string => server.url.replace('//', `//${user}:s3cret@`);
    const reader = await checkStore({store: as('reader')});
    t.false(reader.ok);
    t.true(codes(reader).includes('missing_rights'));
    t.true(reader.findings.some(({message}) => /evalsha/i.test(message)));
    const site = await checkStore({store: as('site')});
    t.true(site.ok, JSON.stringify(site.findings));
    t.deepEqual(codes(site), ['settings_not_visible']);
    await server.ask('ACL', 'SETUSER', 'site', '+info');
    t.deepEqual(codes(await checkStore({store: as('site')})), ['settings_not_visible']);
    t.notRegex(JSON.stringify([reader, site]), /s3cret/);
  },
);

onRedis('a server that does not answer, and a wrong password, are problems', async (t) => {
  const server = await RedisServer.start(t, '--requirepass', 'pass-of-the-server');
  const refused = await checkStore({store: server.url.replace('//', '//:wrong-password@'), storeTimeout: 1000});
  t.deepEqual(codes(refused), ['no_answer']);
  t.notRegex(JSON.stringify(refused), /wrong-password|pass-of-the-server/);
  await server.kill();
  const report = await checkStore({store: server.url, storeTimeout: 500});
  t.deepEqual([report.ok, report.version, codes(report)], [false, null, ['no_answer']]);
});

onPostgres('a role that may only read is told what to grant', async (t) => {
  const namespace = 'rights';
  const {shortener} = await runSite(t, {store: postgres, namespace, secret});
  await shortener.accounts.create('ann');
  const role = `reader_${run.replace(/\W/g, '_')}`;
  await askPostgres(postgres, `create role ${role} login`);
  t.teardown(async () => {
    await askPostgres(postgres, `drop owned by ${role}; drop role ${role}`);
  });
  await askPostgres(postgres, `grant select on all tables in schema public to ${role}`);
  const store = postgres.replace('postgres@', `${role}@`);
  const report = await checkStore({store, namespace, secret});
  t.false(report.ok);
  const missing = report.findings.find(({code}) => code === 'missing_rights');
  t.is(
    missing?.remedy,
    `grant insert, update, delete on public.short_url, public.short_url_counters, public.short_url_batches to ${role};`,
  );
  await askPostgres(postgres, missing?.remedy ?? '');
  t.deepEqual(codes(await checkStore({store, namespace, secret}), ...ofServers), []);
  await askPostgres(postgres, `alter role ${role} set default_transaction_read_only = on`);
  await askPostgres(postgres, `alter role ${role} set synchronous_commit = off`);
  const off = codes(await checkStore({store, namespace, secret}));
  t.true(off.includes('read_only') && off.includes('asynchronous_commit'), off.join());
});

onPostgres('a table that loses its rows in a crash, or treats upper and lower case alike, is a problem', async (t) => {
  const database = new URL(postgres).pathname.slice(1);
  const store = postgres.replace(database, `${database}-columns`);
  await askPostgres(postgres, `create database "${database}-columns"`);
  t.teardown(() => askPostgres(postgres, `drop database "${database}-columns" with (force)`));
  await askPostgres(
    store,
    `create collation anycase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
     create table short_url (key text collate anycase primary key, value text, expires timestamptz);
     create unlogged table short_url_counters (
       key text, name text, n bigint not null, at bigint, primary key (key, name))`,
  );
  const {ok, findings} = await checkStore({store});
  t.false(ok);
  t.like(
    findings.find(({code}) => code === 'unlogged_table'),
    {remedy: 'alter table short_url_counters set logged;'},
  );
  t.true(findings.some(({code, message}) => code === 'wrong_result' && message.includes('keys apart by case')));
});

onPostgres(
  'a database that is not UTF-8 is refused at the start, with existing tables too, and reported',
  async (t) => {
    const name = `${new URL(postgres).pathname.slice(1)}_latin`;
    const store = postgres.replace(/[^/]+$/, name);
    await askPostgres(
      postgres,
      `create database ${name} encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0`,
    );
    t.teardown(() => askPostgres(postgres, `drop database ${name} with (force)`));
    const refused = {code: 'store_unavailable', message: /encoding of its database is not UTF8/};
    const open = (): ReturnType<typeof shortUrl> => {
      const site = shortUrl({baseUrl: 'https://example.com', store, secret});
      t.teardown(() => site.close());
      return site;
    };
    await t.throwsAsync(open().ready(), refused);
    await t.throwsAsync(plan({store}), refused);
    for (const {create} of postgresTables(sqlTables('public.short_url'))) await askPostgres(store, create.join(';'));
    await t.throwsAsync(open().accounts.create('ann'), refused);
    const report = await checkStore({store, secret});
    t.false(report.ok);
    t.true(codes(report).includes('not_utf8'));
  },
);

onMysql('a table on an engine without transactions, which loses rows in a crash, is a problem', async (t) => {
  const {shortener} = await runSite(t, {store: mysql, namespace: 'engines', secret});
  await shortener.accounts.create('ann');
  for (const [table, engine] of [
    ['short_url_counters', 'MyISAM'],
    ['short_url_batches', 'Aria'],
  ] as const) {
    await askMysql(mysql, `alter table ${table} engine = ${engine}`);
  }
  const {ok, findings} = await checkStore({store: mysql, namespace: 'engines', secret});
  t.false(ok);
  const found = findings.filter(({code}) => code === 'no_transactions');
  t.deepEqual(found.map(({message}) => /short_url_\w+/.exec(message)?.[0]).sort(), [
    'short_url_batches',
    'short_url_counters',
  ]);
  for (const {remedy} of found) await askMysql(mysql, remedy);
  t.deepEqual(codes(await checkStore({store: mysql, namespace: 'engines', secret}), ...ofServers), []);
});

test('a file that cannot be written is a problem, and one that is not there is none of ours', async (t) => {
  const directory = await temporaryFolder(t);
  const path = join(directory, 'links.db');
  await t.throwsAsync(checkStore({store: `sqlite:${path}`}), {code: 'nothing_there'});
  const site = shortUrl({baseUrl: 'https://example.com', store: `sqlite:${path}`, secret});
  await site.accounts.create('ann');
  await site.close();
  await chmod(path, 0o444);
  await chmod(directory, 0o555);
  t.teardown(() => chmod(directory, 0o755));
  // The superuser may write everywhere.
  const user = process.getuid?.() === 0 ? 65_534 : undefined;
  const file = await script();
  if (user !== undefined) {
    await chown(directory, user, user);
    await chmod(dirname(file), 0o755);
  }
  const child = fork(file, [`sqlite:${path}`], user === undefined ? {} : {uid: user, gid: user});
  const [report] = (await once(child, 'message')) as [CheckReport];
  t.false(report.ok);
  t.true(codes(report).includes('not_writable'), JSON.stringify(report));
});
