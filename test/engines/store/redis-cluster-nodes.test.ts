import test from 'ava';
import {connectTo, get, high, low, slots, startNodes} from '../../support/store/redis-cluster-fakes.ts';
import {eventually} from '../../support/store/eventually.ts';
import {freePort} from '../../support/store/redis-server.ts';
import {Told} from '../../support/store/told.ts';

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

test('a node that is away is an outage for its keys, and the other nodes are used', async (t) => {
  const {first, second, says, looks} = await startNodes(t);
  const gone = await freePort();
  says.slots = () => slots([0, 8191, gone], [8192, 16_383, second.port]);
  const told = new Told();
  const connection = connectTo(t, [first.address], {told});
  const error = await t.throwsAsync(get(connection, low));
  t.true(error.message.includes(`ECONNREFUSED 127.0.0.1:${gone}`));
  t.is(await get(connection, high), 'second');
  const before = looks();
  await second.when(() => looks() > before);
  says.slots = () => slots([0, 16_383, first.port]);
  t.is(await eventually(() => get(connection, low)), 'first', 'the slots are requested again and again');
  t.is(told.messages[0], `connect ECONNREFUSED 127.0.0.1:${gone}`);
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

test('a slot without a node is an outage, and other slots are used', async (t) => {
  const {first, says} = await startNodes(t);
  says.slots = () => slots([8192, 16_383, first.port]);
  const connection = connectTo(t, [first.address]);
  await t.throwsAsync(get(connection, low), {name: 'Error'});
  t.is(await get(connection, high), 'first');
  await t.throwsAsync(connection.ping(), {message: 'Some slots of the cluster have no node'});
});

test('a node that does not give its own address has the address of the cluster', async (t) => {
  const {first, says} = await startNodes(t);
  for (const host of ['', null, '?']) {
    says.slots = () => [[0, 16_383, [host, first.port, 'id']]];
    t.is(await get(connectTo(t, [`localhost:${first.port}`]), low), 'first');
  }
});

test('a silent node fails the command at its deadline, and is used again when it answers', async (t) => {
  const {first, second, says} = await startNodes(t);
  const connection = connectTo(t, [first.address], {timeout: 1000});
  await eventually(() => connection.ping());
  says.second = () => undefined;
  await t.throwsAsync(get(connection, high), {message: 'No answer within 1000 ms'});
  t.is(second.count('GET'), 1);
  t.is(await get(connection, low), 'first');
  says.second = () => 'second';
  t.is(await eventually(() => get(connection, high)), 'second');
});

test('a cluster that is away is an outage with the reason', async (t) => {
  const {first, says} = await startNodes(t);
  const told = new Told();
  says.slots = () => new Error('ERR This instance has cluster support disabled');
  const connection = connectTo(t, [first.address], {told});
  await t.throwsAsync(get(connection, low), {message: /cluster support disabled/});
  await t.throwsAsync(get(connection, low), {message: /cluster support disabled/});
  says.slots = () => slots([0, 16_383, first.port]);
  t.is(await eventually(() => get(connection, low)), 'first');
  t.true(told.messages.every((message) => message.includes('cluster support disabled')));
});

test('a closed connection is connected to no node, and says that it is closed', async (t) => {
  const {first, second, looks} = await startNodes(t);
  const connection = connectTo(t, [first.address]);
  await connection.ping();
  await connection.close();
  await first.when(() => first.open === 0);
  await second.when(() => second.open === 0);
  const before = looks();
  await t.throwsAsync(get(connection, low), {message: 'The connection to Redis is closed'});
  await t.throwsAsync(connection.ping(), {message: 'The connection to Redis is closed'});
  await connection.close();
  t.is(looks(), before);
});

test('a connection closed while the slots are requested connects to no node', async (t) => {
  const {first, second, says} = await startNodes(t);
  says.slots = () => undefined;
  const connection = connectTo(t, [first.address]);
  await first.when(() => first.count('CLUSTER') === 1);
  const rejects = t.throwsAsync(get(connection, low));
  await connection.close();
  await rejects;
  await first.when(() => first.open === 0);
  t.is(second.connections, 0);
});
