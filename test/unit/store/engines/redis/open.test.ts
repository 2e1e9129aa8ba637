import test from 'ava';
import {openStore} from '../../../../../src/store/opening/open.ts';
import {clusterAddresses, redisAddress, sentinelAddress} from '../../../../../src/store/engines/redis/open.ts';

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

test('a certificate is not checked only if the string says so', (t) => {
  t.false('rejectUnauthorized' in redisAddress('rediss://host?sslmode=verify-full'));
  t.false(redisAddress('rediss://host?sslmode=no-verify').rejectUnauthorized);
  for (const {rejectUnauthorized} of clusterAddresses('rediss+cluster://a,b?sslmode=no-verify')) {
    t.false(rejectUnauthorized);
  }
  t.false(sentinelAddress('rediss+sentinel://a/links/1?sslmode=no-verify').sentinels[0].rejectUnauthorized);
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
      'redis://user:password@host:port/database, or rediss: for TLS',
      [
        'redis://user:s3cret@host:port',
        'redis://:s3cret%zz@host',
        'redis://:s3cret@host/one',
        's3cret',
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
      ],
    ],
  ];
  for (const [read, form, texts] of forms) {
    for (const text of texts) t.throws(() => read(text), {instanceOf: TypeError, message: malformed + form}, text);
  }
});

test('a store whose Sentinels are away says so', async (t) => {
  const store = openStore('redis+sentinel://:s3cret@127.0.0.1:1/links', {namespace: 'n', timeout: 1000});
  t.teardown(() => store.close());
  const error = await t.throwsAsync(store.ping(), {code: 'store_unavailable'});
  t.regex(String(error.cause), /ECONNREFUSED/);
  t.notRegex(JSON.stringify([error, String(error.cause)]), /s3cret/);
});
