import test from 'ava';
import {openStore} from '../../../../src/store/opening/open.ts';
import {
  clusterAddresses,
  openRedisAdapter,
  openValkeyAdapter,
  redisAddress,
  sentinelAddress,
} from '../../../../src/store/redis/open.ts';

const unknown = {username: undefined, password: undefined};

test('a Redis address has defaults, and percent-decodes user and password', (t) => {
  t.deepEqual(redisAddress('redis://'), {host: 'localhost', port: 6379, tls: false, database: 0, ...unknown});
  t.deepEqual(redisAddress('rediss://us%40er:p%3Aw@[::1]:7000/5'), {
    host: '::1',
    port: 7000,
    tls: true,
    username: 'us@er',
    password: 'p:w',
    database: 5,
  });
  t.like(redisAddress('redis://user@host'), {username: 'user', password: undefined});
  t.like(redisAddress('redis://:pass@host'), {username: undefined, password: 'pass'});
});

test('only the scheme turns TLS on, in either case', (t) => {
  for (const text of ['REDISS://a', 'valkeys://a']) t.true(redisAddress(text).tls, text);
  for (const text of ['redis://rediss', 'valkey://valkeys']) t.false(redisAddress(text).tls, text);
  t.true(clusterAddresses('VALKEYS+cluster://a')[0].tls);
  t.false(clusterAddresses('valkey+cluster://valkeys')[0].tls);
});

test('each of several hosts may have a port, and all share one user', (t) => {
  const shared = {tls: true, username: 'us@er', password: 'p/w', database: 0};
  t.deepEqual(sentinelAddress('rediss+sentinel://us%40er:p%2Fw@a,b:7000,[::1]:7001,[::2]/name').sentinels, [
    {host: 'a', port: 26_379, ...shared},
    {host: 'b', port: 7000, ...shared},
    {host: '::1', port: 7001, ...shared},
    {host: '::2', port: 26_379, ...shared},
  ]);
  for (const text of ['redis+cluster://host', 'redis+cluster://host/']) {
    t.like(clusterAddresses(text)[0], {host: 'host', port: 6379, ...unknown});
  }
});

test('a Sentinel address names a master, and optionally a database', (t) => {
  t.like(sentinelAddress('redis+sentinel://a,b/links'), {master: 'links', database: 0});
  t.like(sentinelAddress('redis+sentinel://a/a%2Fb/3'), {master: 'a/b', database: 3});
});

const malformed = 'The Redis connection string of the store is malformed: expected ';

test('a malformed address is refused with the expected form, and without its password', (t) => {
  const forms: ReadonlyArray<readonly [read: (text: string) => unknown, form: string, texts: readonly string[]]> = [
    [
      redisAddress,
      'redis://user:password@host:port/database, or rediss: for TLS, and no parameters',
      [
        'redis://user:s3cret@host:port',
        'redis://:s3cret%zz@host',
        'redis://:s3cret@host/one',
        's3cret',
        'redis://:s3cret@host?ssl=true',
        'redis://:s3cret@host/1?db=9',
        'redis://:s3cret@host#9',
        'redis://:s3cret@host/1/2',
      ],
    ],
    [
      clusterAddresses,
      'redis+cluster://user:password@host:port,host:port',
      [
        'redis+cluster://',
        'redis+cluster://:s3cret@',
        'redis+cluster://:s3cret@a,,b',
        'redis+cluster://:s3cret@a,',
        'redis+cluster://:s3cret@:7000',
        'redis+cluster://:s3cret@a,:7000',
        'redis+cluster://:s3cret@a:99999',
        'redis+cluster://:s3cret%zz@a',
        'redis+cluster://:s3cret@a/0',
        'redis+cluster://:s3cret@a?tls=true',
        'redis+cluster://:s3cr/et@a',
        'redis+cluster://:s3cr@et@a',
        ' redis+cluster://:s3cret@a',
        'redis://:s3cret@a',
      ],
    ],
    [
      sentinelAddress,
      'redis+sentinel://user:password@host:port,host:port/master/database',
      [
        'redis+sentinel://',
        'redis+sentinel://:s3cret@a',
        'redis+sentinel://:s3cret@a/',
        'redis+sentinel://:s3cret@a//3',
        'redis+sentinel://:s3cret@a/links/three',
        'redis+sentinel://:s3cret@a/links/3/4',
        'redis+sentinel://:s3cret@a/links/3/',
        'redis+sentinel://:s3cret@a/%zz',
        'redis+sentinel://:s3cret@a/links?tls=true',
      ],
    ],
  ];
  for (const [read, form, texts] of forms) {
    for (const text of texts) t.throws(() => read(text), {instanceOf: TypeError, message: malformed + form}, text);
  }
});

test('a store whose Sentinels are away says so', async (t) => {
  const store = openStore('redis+sentinel://127.0.0.1:1/links', {namespace: 'n', timeout: 1000});
  t.teardown(() => store.close());
  const error = await t.throwsAsync(store.ping(), {code: 'store_unavailable'});
  t.regex(String(error.cause), /ECONNREFUSED/);
});
const settings = {timeout: 1000, onError: () => undefined};
const createKeyPrefix = (key: string, namespace?: string): string => `${namespace ?? ''}::${key}`;
const nothing = (): undefined => undefined;

/** A host's client, which records the options of its duplicates and cannot connect. */
function client(members: object = {}) {
  const opened: object[] = [];
  const duplicate = (options: object): object => {
    opened.push(options);
    return {on: nothing, connect: () => Promise.reject(new Error('refused'))};
  };
  return {opened, sendCommand: nothing, duplicate, ...members};
}

test('a client of one server is duplicated with its own options, without an offline queue and without reconnecting', async (t) => {
  const host = client({options: {username: 'user', socket: {host: 'h', port: 1, tls: true}, RESP: 3}});
  const found = openRedisAdapter({client: host, createKeyPrefix, namespace: 'n'} as never, settings);
  await found?.driver.close();
  t.is(found?.keyPrefix, 'n::');
  t.like(host.opened[0], {
    disableOfflineQueue: true,
    commandOptions: {},
    socket: {host: 'h', port: 1, tls: true, reconnectStrategy: false},
  });
});

test('a cluster client is duplicated with its own nodes and defaults', async (t) => {
  const defaults = {username: 'user', socket: {tls: true}};
  const host = client({_options: {rootNodes: [{url: 'redis://h:1'}], defaults}});
  const found = openRedisAdapter({client: host, createKeyPrefix, namespace: 'n'} as never, settings);
  await found?.driver.close();
  t.like(host.opened[0], {
    rootNodes: [{url: 'redis://h:1'}],
    defaults: {username: 'user', disableOfflineQueue: true, socket: {tls: true, reconnectStrategy: false}},
  });
});

/** The adapters of both packages over a host's client of a cluster, or of one server, with a prefix for keys. */
const prefixed: Record<string, (prefix: string, isCluster: boolean) => unknown> = {
  'node-redis': (namespace, isCluster) => {
    const host = client(isCluster ? {_options: {rootNodes: []}} : {options: {}});
    return openRedisAdapter({client: host, createKeyPrefix, namespace} as never, settings);
  },
  iovalkey: (prefix, isCluster) => {
    const redis = valkey(isCluster, {});
    return openValkeyAdapter({redis, _getKeyName: (key: string) => `${prefix}:${key}`} as never, settings);
  },
  'iovalkey with a prefix of its own': (keyPrefix, isCluster) => {
    const redis = valkey(isCluster, {keyPrefix});
    return openValkeyAdapter({redis, _getKeyName: (key: string) => `:${key}`} as never, settings);
  },
};

function valkey(isCluster: boolean, options: object): object {
  const duplicate = (): object => ({
    on: nothing,
    disconnect: nothing,
    connect: () => Promise.reject(new Error('refused')),
  });
  return {isCluster, options, duplicate, call: nothing};
}

for (const [title, open] of Object.entries(prefixed)) {
  test(`on a cluster a key prefix that would end up in the hash tags is refused: ${title}`, async (t) => {
    for (const prefix of ['a{b', '{}', '{', '{}{a}']) {
      t.throws(() => open(prefix, true), {instanceOf: TypeError, message: /without `\{`.*got "/}, prefix);
    }
    for (const [prefix, isCluster] of [
      ['a', true],
      ['a}b', true],
      ['{a}', true],
      ['a{b}{', true],
      ['a{b', false],
    ] as const) {
      const found = open(prefix, isCluster) as ReturnType<typeof openRedisAdapter>;
      t.truthy(found, prefix);
      await found?.driver.close();
    }
  });
}

test('a client that cannot be duplicated is refused', (t) => {
  for (const host of [{sendCommand: nothing, options: {}}, client()]) {
    t.throws(() => openRedisAdapter({client: host, createKeyPrefix} as never, settings), {
      instanceOf: TypeError,
      message: /a second time/,
    });
  }
});

test('an adapter that is not one of Redis or Valkey is not taken for one', (t) => {
  const host = client({options: {}});
  for (const adapter of [
    {},
    {client: host},
    {createKeyPrefix},
    {client: host, createKeyPrefix: 'n'},
    {client: {...host, sendCommand: undefined}, createKeyPrefix},
  ]) {
    t.is(openRedisAdapter(adapter as never, settings), undefined);
  }
  for (const adapter of [{}, {redis: {duplicate: nothing, call: nothing}}, {redis: {}, _getKeyName: nothing}]) {
    t.is(openValkeyAdapter(adapter as never, settings), undefined);
  }
});
