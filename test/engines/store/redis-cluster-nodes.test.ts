import test from 'ava';
import {connectTo, get, high, low, slots, startNodes} from '../../support/store/redis-cluster-fakes.ts';
import {eventually} from '../../support/store/eventually.ts';
import {freePort} from '../../support/store/redis-server.ts';
import {Told} from '../../support/store/told.ts';

test('a command goes to the node that has its key, on one connection that stays', async (t) => {
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

test('the password is for every node', async (t) => {
  const {first, second} = await startNodes(t);
  const connection = connectTo(t, [first.address], {access: 'us%40er:s3cret@'});
  await connection.ping();
  for (const node of [first, second]) {
    await get(connection, node === first ? low : high);
    t.deepEqual(node.asked[0], ['AUTH', 'us@er', 's3cret']);
  }
});

test('a key that has moved is looked for where it is said to be, now and later', async (t) => {
  const {first, second, says} = await startNodes(t);
  const connection = connectTo(t, [first.address]);
  await connection.ping();
  says.slots = () => slots([0, 16_383, second.port]);
  says.first = () => new Error(`MOVED 3300 ${second.address}`);
  t.is(await get(connection, low), 'second');
  t.is(await get(connection, low), 'second');
  t.deepEqual([first.count('GET'), second.count('GET'), second.count('ASKING')], [1, 2, 0]);
});

test('a key that is on its way is asked for elsewhere this once', async (t) => {
  const {first, second, says, looks} = await startNodes(t);
  says.first = ([name]) => (name === 'GET' ? new Error(`ASK 3300 ${second.address}`) : 'PONG');
  const connection = connectTo(t, [first.address]);
  for (let turn = 1; turn <= 2; turn += 1) {
    t.is(await get(connection, low), 'second');
    t.is(first.count('GET'), turn);
    t.deepEqual(second.asked.slice(-2), [['ASKING'], ['GET', low]]);
  }
  t.is(looks(), 1, 'who has which slots has not changed');
});

test('a command on keys of which some have moved already is tried again, but not after its time', async (t) => {
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
  // What left before the deadline arrives before this.
  t.is(await connection.send(low, ['TYPE', low]), 'first');
  const sent = first.count('GET');
  t.is(await connection.send(low, ['TYPE', low]), 'first');
  t.is(first.count('GET'), sent);
});

test('a node that is away and still has the key is an outage, and the others are served meanwhile', async (t) => {
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
  t.is(await eventually(() => get(connection, low)), 'first', 'it is asked again and again who has the slots');
  t.is(told.messages[0], `connect ECONNREFUSED 127.0.0.1:${gone}`);
});

test('after a node was lost its successor is found, also when the one in the connection string is lost', async (t) => {
  const {first, second, says} = await startNodes(t);
  const connection = connectTo(t, [first.address]);
  await connection.ping();
  await first.stop();
  says.slots = () => slots([0, 16_383, second.port]);
  t.is(await eventually(() => get(connection, low)), 'second');
});

test('a command whose answer was lost is not sent again', async (t) => {
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

test('a node that takes no writes any more is left for the one that does', async (t) => {
  const {first, second, says} = await startNodes(t);
  const connection = connectTo(t, [first.address]);
  await connection.ping();
  says.slots = () => slots([0, 16_383, second.port]);
  says.first = () => new Error("READONLY You can't write against a read only replica.");
  await t.throwsAsync(get(connection, low), {message: /^READONLY/});
  t.is(await eventually(() => get(connection, low)), 'second');
});

test('a slot that no node has is an outage, and the others are served', async (t) => {
  const {first, says} = await startNodes(t);
  says.slots = () => slots([8192, 16_383, first.port]);
  const connection = connectTo(t, [first.address]);
  await t.throwsAsync(get(connection, low), {name: 'Error'});
  t.is(await get(connection, high), 'first');
  await t.throwsAsync(connection.ping(), {message: 'Some slots of the cluster have no node'});
});

test('a node that does not know its own name has the one under which the cluster is known', async (t) => {
  const {first, says} = await startNodes(t);
  for (const host of ['', null, '?']) {
    says.slots = () => [[0, 16_383, [host, first.port, 'id']]];
    t.is(await get(connectTo(t, [`localhost:${first.port}`]), low), 'first');
  }
});

test('a node that stays silent is waited for no longer than allowed, and found again when it answers', async (t) => {
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

test('a cluster that is away is an outage that says why', async (t) => {
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

test('a connection that is closed keeps none to a node, and says that it is closed', async (t) => {
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

test('closing while it is asked who has which slots connects to nobody', async (t) => {
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
