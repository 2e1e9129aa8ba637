import test from 'ava';
import {openStore} from '../../src/store/open.ts';
import {redisAddress, redisAddresses} from '../../src/store/redis-address.ts';

const unknown = {username: undefined, password: undefined};

test('a Redis address without user and password has none', (t) => {
  t.deepEqual(redisAddress('redis://'), {host: 'localhost', port: 6379, tls: false, database: 0, ...unknown});
  t.like(redisAddress('redis://user@host'), {username: 'user', password: undefined});
  t.like(redisAddress('redis://:pass@host'), {username: undefined, password: 'pass'});
});

test('the scheme alone says whether there is TLS, in capitals as well', (t) => {
  t.true(redisAddress('REDISS://a').tls);
  t.false(redisAddress('redis://rediss').tls);
  t.true(redisAddresses('VALKEYS+cluster://a', 1, '').hosts[0].tls);
  t.false(redisAddresses('valkey+cluster://valkeys', 1, '').hosts[0].tls);
});

test('a malformed Redis address is told without the password in it', (t) => {
  for (const text of [
    'redis://user:s3cret@host:port',
    'redis://:s3cret%zz@host',
    'redis://:s3cret@host/one',
    's3cret',
    'redis://:s3cret@host?ssl=true',
    'redis://:s3cret@host/1?db=9',
    'redis://:s3cret@host#9',
    'redis://:s3cret@host/1/2',
  ]) {
    t.throws(
      () => redisAddress(text),
      {
        instanceOf: TypeError,
        message:
          'The Redis connection string of the store is malformed: expected redis://user:password@host:port/database, ' +
          'or rediss: for TLS, and no parameters',
      },
      text,
    );
  }
});

test('of several hosts each may name its port, and nothing need stand behind them', (t) => {
  const {hosts, path} = redisAddresses('redis+cluster://[::1],[::2]:7000,host', 26_379, '');
  t.deepEqual(
    hosts.map(({host, port}) => `${host} ${port}`),
    ['::1 26379', '::2 7000', 'host 26379'],
  );
  t.deepEqual(path, []);
  t.deepEqual(redisAddresses('redis+cluster://host/', 1, '').path, []);
  t.deepEqual(redisAddresses('redis+sentinel://host/a%2Fb', 1, '').path, ['a/b']);
  t.like(redisAddresses('redis+cluster://host', 1, '').hosts[0], unknown);
});

test('malformed addresses of several hosts are told without the password in them', (t) => {
  for (const text of [
    'redis+cluster://',
    'redis+cluster://:s3cret@',
    'redis+cluster://:s3cret@a,,b',
    'redis+cluster://:s3cret@a,',
    'redis+cluster://:s3cret@:7000',
    'redis+cluster://:s3cret@a,:7000',
    'redis+cluster://:s3cret@a:99999',
    'redis+cluster://:s3cret%zz@a',
    'redis+cluster://:s3cret@a/%zz',
    'redis+cluster://:s3cret@a?tls=true',
    'redis+cluster://:s3cret@a/links?tls=true',
    'redis+cluster://:s3cr/et@a',
    'redis+cluster://:s3cr@et@a',
    ' redis+cluster://:s3cret@a',
    'redis://:s3cret@a',
  ]) {
    t.throws(
      () => redisAddresses(text, 6379, 'the form'),
      {instanceOf: TypeError, message: 'The connection string of the store is malformed: expected the form'},
      text,
    );
  }
});

test('a store says how the address of a cluster and of sentinels is written', (t) => {
  const malformed = 'The connection string of the store is malformed: expected ';
  for (const text of ['redis+cluster://a/0', 'redis+cluster://']) {
    t.throws(() => openStore(text, {namespace: 'n'}), {
      message: `${malformed}redis+cluster://user:password@host:port,host:port`,
    });
  }
  for (const text of ['redis+sentinel://a', 'redis+sentinel://']) {
    t.throws(() => openStore(text, {namespace: 'n'}), {
      message: `${malformed}redis+sentinel://user:password@host:port,host:port/master/database`,
    });
  }
});

test('a store over sentinels that are away says so', async (t) => {
  const store = openStore('redis+sentinel://127.0.0.1:1/links', {namespace: 'n', timeout: 1000});
  t.teardown(() => store.close());
  const error = await t.throwsAsync(store.ping(), {code: 'store_unavailable'});
  t.regex(String(error.cause), /ECONNREFUSED/);
});
