import test from 'ava';
import {connectTo, get, high, low, slots, startNodes} from '../../support/store/redis-cluster-fakes.ts';
import {eventually} from '../../support/store/eventually.ts';

test('a command goes to the node of its key, on a connection that is reused', async (t) => {
  const {first, second, looks} = await startNodes(t);
  const connection = connectTo(t, [first.address]);
  for (let turn = 0; turn < 3; turn += 1) {
    t.is(await get(connection, low), 'first');
    t.is(await get(connection, high), 'second');
  }
  t.deepEqual([first.count('GET'), second.count('GET')], [3, 3]);
  t.deepEqual([first.openFor('GET'), second.openFor('GET')], [1, 1]);
  t.is(looks(), 1);
});

test('the password is sent to every node', async (t) => {
  const {first, second} = await startNodes(t);
  const connection = connectTo(t, [first.address], {access: 'us%40er:s3cret@'});
  await connection.ping();
  for (const node of [first, second]) {
    await get(connection, node === first ? low : high);
    t.deepEqual(node.asked[0], ['AUTH', 'us@er', 's3cret']);
  }
});

test('a MOVED key is looked up at its new node, then and later', async (t) => {
  const {first, second, says} = await startNodes(t);
  const connection = connectTo(t, [first.address]);
  await connection.ping();
  says.slots = () => slots([0, 16_383, second.port]);
  says.first = () => new Error(`MOVED 3300 ${second.address}`);
  t.is(await get(connection, low), 'second');
  t.is(await get(connection, low), 'second');
  t.deepEqual([first.count('GET'), second.count('GET'), second.count('ASKING')], [1, 2, 0]);
});

test('an ASK reply redirects a single command', async (t) => {
  const {first, second, says, looks} = await startNodes(t);
  says.first = ([name]) => (name === 'GET' ? new Error(`ASK 3300 ${second.address}`) : 'PONG');
  const connection = connectTo(t, [first.address]);
  for (let turn = 1; turn <= 2; turn += 1) {
    t.is(await get(connection, low), 'second');
    t.is(first.count('GET'), turn);
    t.deepEqual(second.asked.slice(-2), [['ASKING'], ['GET', low]]);
  }
  t.is(looks(), 1, 'the slots have not changed');
});

test('TRYAGAIN is retried until the deadline', async (t) => {
  const {first, says} = await startNodes(t);
  const connection = connectTo(t, [first.address], {timeout: 1000});
  await eventually(() => connection.ping());
  let refusals = 2;
  says.first = () => (refusals-- > 0 ? new Error('TRYAGAIN Multiple keys request during rehashing of slot') : 'first');
  t.is(await get(connection, low), 'first');
  t.is(first.count('GET'), 3);
  refusals = Infinity;
  await t.throwsAsync(get(connection, low), {message: 'No answer within 1000 ms'});
  says.first = () => 'first';
  // A command sent before the deadline would arrive before this one.
  t.is(await connection.send(low, ['TYPE', low]), 'first');
  const sent = first.count('GET');
  t.is(await connection.send(low, ['TYPE', low]), 'first');
  t.is(first.count('GET'), sent);
});

test('after a node was lost its successor is found, also if the lost node is the one in the connection string', async (t) => {
  const {first, second, says} = await startNodes(t);
  const connection = connectTo(t, [first.address]);
  await connection.ping();
  await first.stop();
  says.slots = () => slots([0, 16_383, second.port]);
  t.is(await eventually(() => get(connection, low)), 'second');
});

test('a command whose reply was lost is not sent again', async (t) => {
  const {first, second, says} = await startNodes(t);
  const connection = connectTo(t, [first.address]);
  await connection.ping();
  says.slots = () => slots([0, 16_383, second.port]);
  says.first = () => {
    first.drop();
    return undefined;
  };
  await t.throwsAsync(get(connection, low));
  t.is(await eventually(() => get(connection, high)), 'second');
  t.deepEqual([first.count('GET'), second.count('GET')], [1, 1]);
});

test('a node that has become read-only is left for the new master', async (t) => {
  const {first, second, says} = await startNodes(t);
  const connection = connectTo(t, [first.address]);
  await connection.ping();
  says.slots = () => slots([0, 16_383, second.port]);
  says.first = () => new Error("READONLY You can't write against a read only replica.");
  await t.throwsAsync(get(connection, low), {message: /^READONLY/});
  t.is(await eventually(() => get(connection, low)), 'second');
});
