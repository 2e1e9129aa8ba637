import {fork} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';
import test from 'ava';
import {Keyv, type KeyvStoreAdapter} from 'keyv';
import {mysqlOptions} from '../../../../src/store/engines/mysql/open.ts';
import {openStore} from '../../../../src/store/opening/open.ts';
import type {StoreOption} from '../../../../src/store/opening/option.ts';
import {sqlitePath} from '../../../../src/store/engines/sqlite/open.ts';

const settings = {namespace: 'n'};

/** Looks like a pool of `pg`. */
const pool = {connect: () => undefined, query: () => undefined, totalCount: 0, waitingCount: 0};

test('each scheme has its engine', async (t) => {
  const engines = {
    redis: ['redis', 'rediss', 'valkey', 'valkeys'].flatMap((name) => [
      `${name}://127.0.0.1:1`,
      `${name}+cluster://127.0.0.1:1`,
      `${name}+sentinel://127.0.0.1:1/links`,
    ]),
    postgres: ['postgres://127.0.0.1:1/db', 'postgresql://127.0.0.1:1/db'],
    mysql: ['mysql://127.0.0.1:1/db', 'mariadb://127.0.0.1:1/db'],
    sqlite: ['sqlite::memory:'],
    memory: ['memory:'],
  };
  for (const [engine, texts] of Object.entries(engines)) {
    for (const text of texts) {
      const store = openStore(text, settings);
      t.is(store.engine, engine, text);
      await store.close();
    }
  }
});

test('an unknown scheme is refused with a list of the known ones, and without repeating the string', (t) => {
  for (const text of [
    'cassandra://user:s3cret@host/db',
    'mongodb://s3cret',
    's3cret',
    '',
    'toString:s3cret',
    '//s3cret',
  ]) {
    const error = t.throws(() => openStore(text, settings), {instanceOf: TypeError});
    t.regex(error.message, /memory: sqlite: redis: rediss:/);
    t.notRegex(error.message + String(error.cause), /s3cret/);
  }
});

test('a string that is nearly that of a store is refused with what was meant, and without repeating a password', (t) => {
  for (const [text, meant] of [
    ['links.db', 'sqlite:links.db'],
    ['./data/links.sqlite', 'sqlite:./data/links.sqlite'],
    ['/var/lib/my links.sqlite3', 'sqlite:/var/lib/my links.sqlite3'],
    ['C:\\data\\links.db', 'sqlite:C:\\data\\links.db'],
    ['postgress://user:s3cret@host/db', 'postgres:'],
    ['postgressql://user:s3cret@host/db', 'postgresql:'],
    ['sqllite:a.db', 'sqlite:'],
    ['redis+clusster://s3cret', 'redis+cluster:'],
    ['redis//user:s3cret@host.db', undefined],
    ['keeper:s3cret@links.db', undefined],
    ['s3cret', undefined],
  ] as const) {
    const {message} = t.throws(() => openStore(text, settings), {instanceOf: TypeError});
    t.is(/Did you mean `(.*)`\?$/.exec(message)?.[1], meant, message);
    t.notRegex(message, /s3cret/);
  }
});

test('a malformed connection string is refused without repeating it', (t) => {
  for (const text of [
    'redis://user:s3cret@host:port',
    'redis+cluster://user:s3cret@host:port',
    'redis+sentinel://user:s3cret@host',
    'postgres://user:s3cret@ho st/db',
    'postgres://user:%s3cret@host/db',
    'mysql://user:s3cret@host/',
    'mysql://user:s3cret@host:port/db',
    'mysql://user:s3cret@host/db?ssl-mode=s3cret',
    'mysql://user:s3cret@host/db?pw=s3cret',
    'mysql://user:%s3cret@host/db',
    'mariadb://user:s3cret@host/',
    ...['0', '101', '-1', '1.5', '1e1', '05', '', 's3cret', '5&pool=5'].flatMap((pool) => [
      `postgres://user:s3cret@host/db?pool=${pool}`,
      `mysql://user:s3cret@host/db?pool=${pool}`,
    ]),
    'sqlite:',
    'sqlite:s3cret/',
    'sqlite:links.db?mode=s3cret',
    'sqlite::memory:?cache=s3cret',
    'memory:s3cret',
  ]) {
    const error = t.throws(() => openStore(text, settings), {instanceOf: TypeError}, text);
    t.notRegex(error.message + String(error.cause), /s3cret/);
  }
});

test('a password that is not percent-encoded is refused, so that no part of it is taken for a host', (t) => {
  for (const text of [
    'postgres://user:pa@s3cret/word@host/db',
    'postgres://user:pa@s3cret#word@host/db',
    'mysql://user:pa@s3cret/word@host:3306/db',
    'mysql://user:pa@s3cret/w#ord@host/db',
    'mysql://user:s3cret/word@host/db',
    'mariadb://user:s3cret/word@host/db',
    'redis://user:s3cret#word@host/0',
    'redis+sentinel://user:pa@s3cret/word@host',
    ...['postgres:', 'mysql:', 'redis:', 'rediss+cluster:', 'redis+sentinel:'].flatMap((scheme) => [
      `${scheme}//user:s3cret?word@host/db`,
      `${scheme}//user:12?s3cret=word@host/db`,
      `${scheme}//user:s3cret%word@host/db`,
      `${scheme}//user:100%@host/db?s3cret`,
      `${scheme}//user:s3cret%E4@host/db`,
      `${scheme}//user:pa@12?s3cret@host/db`,
      `${scheme}//user:pa@12?s3cret=word@host/db`,
    ]),
  ].filter((text) => !/cluster:.*pa@12|sentinel:.*pa@12/.test(text))) {
    const error = t.throws(() => openStore(text, settings), {instanceOf: TypeError}, text);
    t.regex(error.message, /percent-encoded/, text);
    t.notRegex(error.message, /s3cret/);
  }
});

test('an unknown parameter is named, and never its value', async (t) => {
  for (const [text, name, meant] of [
    ['postgres://user:pw@host/db?sslmod=s3cret', 'sslmod', 'sslmode'],
    ['postgres://user:pw@host/db?sslmode=require&max=s3cret', 'max'],
    ['mysql://user:pw@host/db?useSSL=s3cret', 'useSSL'],
    ['mysql://user:pw@host/db?ssl_mode=s3cret', 'ssl_mode', 'ssl-mode'],
    ['redis://user:pw@host/0?db=s3cret', 'db'],
    ['rediss://user:pw@host?ssl_cert_reqs=s3cret', 'ssl_cert_reqs'],
    ['redis+cluster://user:pw@host,other?tls=s3cret', 'tls'],
    ['redis+sentinel://user:pw@host/links?name=s3cret', 'name'],
  ] as const) {
    const {message} = t.throws(() => openStore(text, settings), {instanceOf: TypeError}, text);
    t.true(message.includes(`the unknown parameter \`${name}\`.`), message);
    t.true(message.includes(meant === undefined ? ' Leave it out. ' : `Did you mean \`${meant}\`?`), message);
    t.notRegex(message, /s3cret|pw/);
  }
});

test('a wrong mode of TLS, and a file that is missing, are refused', (t) => {
  for (const [text, message] of [
    ['postgres://user:pw@host/db?sslmode=s3cret', /`sslmode` .* disable, prefer, require, verify-ca, verify-full/],
    ['postgres://user:pw@host/db?sslmode=allow', /`sslmode` .* no-verify/],
    ['postgres://user:pw@host/db?ssl=s3cret', /`ssl` /],
    ['postgres://user:pw@host/db?sslmode=require&sslmode=disable', /`sslmode` twice/],
    ['postgres://user:pw@host/db?sslrootcert=/no/such.pem', /The file \/no\/such\.pem of `sslrootcert` /],
    ['postgres://user:pw@host/db?sslkey=-----BEGIN s3cret', /The file of `sslkey` /],
    ['mysql://user:pw@host/db?ssl-mode=s3cret', /`ssl-mode` .* DISABLED, REQUIRED, VERIFY_CA, VERIFY_IDENTITY/],
    ['mysql://user:pw@host/db?ssl={"ca":"s3cret"}', /`ssl-mode` /],
    ['redis://host?sslmode=no-verify', /`sslmode` .* after rediss:/],
    ['rediss://host?sslmode=s3cret', /`sslmode` /],
  ] as const) {
    const error = t.throws(() => openStore(text, settings), {instanceOf: TypeError, message}, text);
    t.notRegex(error.message, /s3cret|pw/);
  }
});

test('the connection strings that providers show are taken', async (t) => {
  for (const text of [
    'postgresql://user:pw@ep-name-pooler.eu-central-1.aws.neon.tech/neondb?sslmode=require&channel_binding=require',
    'postgresql://postgres.ref:pw@aws-0-eu.pooler.supabase.com:6543/postgres?pgbouncer=true&connection_limit=1',
    'postgres://user:pw@ec2-1-2-3-4.compute-1.amazonaws.com:5432/d1',
    'postgres://user:pw@host.db.ondigitalocean.com:25060/defaultdb?sslmode=require',
    'postgres://user:pw@app.flycast:5432/app?sslmode=disable',
    'postgresql://user:pw@host/db?connect_timeout=15&target_session_attrs=read-write&keepalives=1',
    'postgresql://user:pw@aws.connect.psdb.cloud:5432/postgres?sslmode=verify-full&sslrootcert=system',
    'mysql://user:pscale_pw_1@aws.connect.psdb.cloud/db?sslaccept=strict',
    'mysql://user:pw@aws.connect.psdb.cloud/db?ssl={"rejectUnauthorized":true}',
    'mysql://user:pw@us-cdbr-east-02.cleardb.com/heroku_1?reconnect=true',
    'mysql://doadmin:pw@host.db.ondigitalocean.com:25060/defaultdb?ssl-mode=REQUIRED',
    'mysql://root:pw@mysql.railway.internal:3306/railway?charset=utf8mb4',
    'redis://default:pw@redis.railway.internal:6379?family=0',
    'rediss://default:pw@name.upstash.io:6379?protocol=2',
    'rediss://:pw@name.redis.cache.windows.net:6380/0',
    'redis+cluster://:pw@a,b:7000/?family=6',
  ]) {
    await t.notThrowsAsync(openStore(text, {...settings, timeout: 1}).close(), text);
  }
});

test('a value that is not a store is refused', (t) => {
  const method = (): undefined => undefined;
  const olderKeyv = {opts: {store: new Map()}, get: method, set: method, delete: method, clear: method};
  for (const [option, got] of [
    [null, 'null'],
    [5, 'a number'],
    [{get: method, set: method}, 'an object'],
    [method, 'a function'],
    [new Set(), 'an object'],
    [olderKeyv, 'an object'],
  ] as const) {
    const {message} = t.throws(() => openStore(option as unknown as StoreOption, settings), {instanceOf: TypeError});
    t.regex(message, new RegExp(`^Expected the store to be a connection string, .* or a Map, got ${got}$`));
  }
});

test('what leads to a database but is no pool is refused, with what to pass instead', (t) => {
  const method = (): undefined => undefined;
  const knex = Object.assign(method, {raw: method, transaction: method, migrate: {}});
  for (const [option, message] of [
    [{$connect: method, $queryRawUnsafe: method}, /a Prisma client\. Pass the connection string/],
    [knex, /a Knex instance\. Pass the connection string/],
    [{$client: {}, select: method}, /a Drizzle database\. Pass its `\$client`/],
    [{connect: method, query: method, escapeLiteral: method}, /a single client of `pg`\. Pass a `Pool`/],
    [{beginTransaction: method, execute: method}, /a single connection of `mysql2`\. Pass a pool/],
    [{prepare: method, exec: method}, /another client of SQLite\. Pass sqlite:/],
    [{client: knex}, /a Knex instance/],
    [{client: 'postgres://user:s3cret@host/db'}, /`store\.client` to be .*, got a string of 30 characters/],
    [
      {connect: method, query: method, totalCount: 0, waitingCount: 0, options: {binary: true}},
      /without `binary: true`, with which `pg` returns wrong sums/,
    ],
    [{client: {getConnection: method, promise: method}, schema: 'links'}, /`store\.schema` only with a Pool of `pg`/],
    [{client: new Map(), schemas: 'links'}, /Did you mean `schema`\?/],
    [{client: pool, schema: 'a"b'}, /`store\.schema` to be 1 to 63 of/],
    [{client: pool, schema: 5}, /`store\.schema` to be .*, got 5/],
  ] as const) {
    t.throws(() => openStore(option as unknown as StoreOption, settings), {instanceOf: TypeError, message});
  }
});

test('the schema of a Postgres string must be a name', async (t) => {
  await openStore('postgres://127.0.0.1:1/db?schema=Order', settings).close();
  for (const schema of ['', 'a"b', 'a.b', 'pg_catalog', '1a', 'a'.repeat(64)]) {
    const text = `postgres://127.0.0.1:1/db?schema=${encodeURIComponent(schema)}`;
    t.throws(() => openStore(text, settings), {
      instanceOf: TypeError,
      message: /Expected `schema` .* to be 1 to 63 of/,
    });
  }
});

test('a store with a ttl is refused, because its links would vanish', (t) => {
  t.throws(() => openStore(new Keyv({ttl: 1000}), settings), {instanceOf: TypeError, message: /would be lost/});
  const adapter = adapterWith({dialect: 'sqlite', uri: 'sqlite://a.db', ttl: 5000});
  t.throws(() => openStore(adapter, settings), {instanceOf: TypeError, message: /would be lost/});
  t.throws(() => openStore(new Keyv(adapter), settings), {instanceOf: TypeError, message: /would be lost/});
  t.notThrows(() => openStore(new Keyv({ttl: 0}), settings));
});

test('the path of a SQLite string is not decoded', (t) => {
  t.is(sqlitePath('sqlite:path/to/file.db'), 'path/to/file.db');
  t.is(sqlitePath('sqlite:/path/to/file.db'), '/path/to/file.db');
  t.is(sqlitePath('sqlite:///path/to/file.db'), '/path/to/file.db');
  t.is(sqlitePath('sqlite://path/to/file.db'), 'path/to/file.db');
  t.is(sqlitePath('SQLite:./50%25.db'), './50%25.db');
  t.is(sqlitePath('sqlite::memory:'), ':memory:');
  t.is(sqlitePath('sqlite:a/sqlite://b'), 'a/sqlite://b');
});

test('a MySQL address has defaults, percent-decodes its parts, and has options for TLS', (t) => {
  t.like(mysqlOptions('mysql://us%40er:p%3Aw@[::1]:3307/d%2Fb'), {
    host: '::1',
    port: 3307,
    user: 'us@er',
    password: 'p:w',
    database: 'd/b',
  });
  t.like(mysqlOptions('mysql:///db?socketPath=/run/mysqld/mysqld.sock'), {
    host: 'localhost',
    port: 3306,
    socketPath: '/run/mysqld/mysqld.sock',
    user: undefined,
    password: undefined,
    database: 'db',
  });
  const ssl = (query: string): unknown => mysqlOptions(`mysql://host/db?${query}`).ssl;
  t.deepEqual(ssl('ssl-mode=REQUIRED'), {rejectUnauthorized: false, verifyIdentity: false});
  t.deepEqual(ssl('ssl-mode=verify_ca'), {rejectUnauthorized: true, verifyIdentity: false});
  t.deepEqual(ssl('ssl=true'), {rejectUnauthorized: true, verifyIdentity: true});
  t.is(ssl('ssl=false'), undefined);
  t.is(ssl('ssl-mode=DISABLED'), undefined);
  t.deepEqual(ssl('sslaccept=strict'), {rejectUnauthorized: true, verifyIdentity: true});
  t.deepEqual(ssl('ssl={"rejectUnauthorized": false}'), {rejectUnauthorized: false, verifyIdentity: false});
  t.is(mysqlOptions('mysql://host/db?connection_limit=7').connectionLimit, 7);
});

test('a missing driver package is named with its install command', async (t) => {
  const child = fork(fileURLToPath(new URL('../../../support/store/missing-packages.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
  });
  const [[report]] = (await Promise.all([once(child, 'message'), once(child, 'exit')])) as [[object], unknown];
  const missing = (name: string): string =>
    `store_unavailable: The store needs the package ${name}, which is not installed: npm install ${name}`;
  t.deepEqual<object, object>(report, {
    'sqlite:missing.db': missing('libsql'),
    'redis://localhost': missing('@keyv/redis'),
    'postgres://localhost': missing('pg'),
    'mariadb://localhost/db': missing('mysql2'),
    check: 'missing_package: npm install @keyv/redis',
  });
});

test('an adapter gets and sets, with a warning that names connection strings', async (t) => {
  const records = new Map<string, unknown>();
  const warned = once(process, 'warning') as Promise<[Error & {code?: string}]>;
  const store = openStore(
    adapterWith({dialect: 'postgres', uri: 'postgres://u:s3cret@host/db'}, {}, records),
    settings,
  );
  t.is(store.guarantee, 'process');
  t.true(await store.insert('record', 1));
  t.deepEqual([...records.keys()], ['n:record']);
  const [{code, message}] = await warned;
  t.is(code, 'keyv_store');
  t.regex(message, /exact in one process only.*postgres:\/\/user:password@host/);
  t.notRegex(message, /s3cret/);
});

/** A Keyv storage adapter with these options. */
function adapterWith(opts: unknown, members: object = {}, records = new Map<string, unknown>()): KeyvStoreAdapter {
  const adapter = {
    opts,
    get: async (key: string) => records.get(key),
    set: async (key: string, value: unknown) => Boolean(records.set(key, value)),
    delete: async (key: string) => records.delete(key),
    clear: async () => undefined,
    on: () => undefined,
    ...members,
  };
  return adapter as unknown as KeyvStoreAdapter;
}
