import test from 'ava';
import fc from 'fast-check';
import {partsOf, readSlots, redirectionOf, slotOf} from '../../src/store/redis-slots.ts';
import {missingRedis, RedisServer} from './redis-server.ts';
import {temporaryDirectory} from './temporary.ts';

const skip = await missingRedis();
const directory = temporaryDirectory();

test('the slot of a key is the one of the cluster specification', (t) => {
  t.is(slotOf('123456789'), 0x31c3);
  t.is(slotOf(''), 0);
  t.is(slotOf('{user1000}.following'), slotOf('user1000'));
  t.not(slotOf('foo{}{bar}'), slotOf('bar'));
  t.is(slotOf('foo{{bar}}zap'), slotOf('{bar'));
});

(skip === undefined ? test : test.skip)('of any key a server says the same slot', async (t) => {
  const server = await RedisServer.start('--cluster-enabled', 'yes', '--dir', directory);
  t.teardown(() => server.kill());
  const keys = fc.sample(fc.string({unit: fc.constantFrom('{', '}', 'a', 'b', ':', '~', '0')}), 200);
  for (const key of keys) t.is(slotOf(key), (await server.ask('CLUSTER', 'KEYSLOT', key)) as number, key);
});

test('a node that does not know its own name has the one under which it was asked', (t) => {
  const owners = readSlots(
    [
      [0, 9, ['', 7000, 'id'], ['10.0.0.2', 7000, 'id']],
      [10, 10, [null, 7001]],
      [12, 16_382, ['::1', 7002]],
      [16_383, 16_383, ['?', 7003]],
    ],
    'known.example',
  );
  t.deepEqual(
    [owners[0], owners[9], owners[10], owners[11], owners[12], owners[16_382], owners[16_383]],
    [
      'known.example:7000',
      'known.example:7000',
      'known.example:7001',
      undefined,
      '::1:7002',
      '::1:7002',
      'known.example:7003',
    ],
  );
  t.throws(() => readSlots([], 'known.example'), {message: 'A node that was asked has no part in the cluster'});
});

test('a redirection is for good or for once, and nothing else is one', (t) => {
  t.deepEqual(redirectionOf(new Error('MOVED 3999 127.0.0.1:6381'), 'h'), {forGood: true, address: '127.0.0.1:6381'});
  t.deepEqual(redirectionOf(new Error('ASK 3999 ::1:6381'), 'h'), {forGood: false, address: '::1:6381'});
  t.deepEqual(redirectionOf(new Error('MOVED 3999 :6381'), 'h'), {forGood: true, address: 'h:6381'});
  t.is(redirectionOf(new Error('CLUSTERDOWN Hash slot not served'), 'h'), undefined);
  t.is(redirectionOf(new Error('ERR MOVED 3999 a:6381'), 'h'), undefined);
  t.is(redirectionOf(new Error('MOVED 3999 a:6381 and more'), 'h'), undefined);
  t.is(redirectionOf('MOVED 1 a:1', 'h'), undefined);
});

test('the port of an address stands behind its last colon', (t) => {
  t.deepEqual(partsOf('::1:6381'), {host: '::1', port: 6381});
  t.deepEqual(partsOf('node.example:7000'), {host: 'node.example', port: 7000});
});
