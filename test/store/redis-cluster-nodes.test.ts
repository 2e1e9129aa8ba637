import test from 'ava';
import {heldClock} from './clock.ts';
import {closesOnlyAfter} from './closing.ts';
import {connectTo, get, high, low, slots, startNodes} from './redis-cluster-fakes.ts';
import {eventually} from './eventually.ts';
import {RespServer} from './resp-server.ts';
import {Told} from './told.ts';

// Some tests hold the clock, which is everybody's.
const check = test.serial;

/** Longer than the pause between two questions who has which slots, in milliseconds. */
const aWhile = 200;

check('a ping asks every master, and looks again before it says that one is away', async (t) => {
  const {first, second, says} = await startNodes(t);
  const connection = connectTo(t, [first.address]);
  await connection.ping();
  t.deepEqual([first.count('PING'), second.count('PING')], [1, 1]);
  let answers = 0;
  says.second = () => (answers++ === 0 ? new Error('LOADING Redis is loading the dataset in memory') : 'PONG');
  await connection.ping();
  says.second = () => new Error('LOADING Redis is loading the dataset in memory');
  await t.throwsAsync(connection.ping(), {message: /^LOADING/});
});

check('a node that has no slots any more is let go of, and the others are kept', async (t) => {
  const clock = heldClock(t);
  const {first, second, says} = await startNodes(t);
  const connection = connectTo(t, [first.address]);
  await get(connection, low);
  await get(connection, high);
  t.deepEqual([first.openFor('GET'), second.openFor('GET')], [1, 1]);
  const kept = second.connections;
  clock.now += aWhile;
  says.slots = () => slots([0, 16_383, second.port]);
  says.first = () => new Error(`MOVED 0 ${second.address}`);
  t.is(await get(connection, low), 'second');
  await first.when(() => first.openFor('GET') === 0);
  await connection.ping();
  t.is(await get(connection, high), 'second');
  t.is(second.openFor('GET'), 1);
  t.true(second.connections <= kept + 1, 'one more has asked for the slots');
});

check('a node that was lost and has no slots any more is no outage that lasts', async (t) => {
  const clock = heldClock(t);
  const {first, second, says} = await startNodes(t);
  const told = new Told();
  const connection = connectTo(t, [second.address], {told});
  await connection.ping();
  await first.stop();
  await told.reaches(1);
  says.slots = () => slots([0, 16_383, second.port]);
  clock.now += aWhile;
  t.is(await get(connection, low), 'second');
  t.is(told.errors.length, 1);
  second.drop();
  await second.stop();
  await told.reaches(2);
});

check('a cluster that is away is told of once, and again when it has been there meanwhile', async (t) => {
  const clock = heldClock(t);
  const {first, says} = await startNodes(t);
  const told = new Told();
  says.slots = () => new Error('ERR This instance has cluster support disabled');
  const connection = connectTo(t, [first.address], {told});
  await t.throwsAsync(get(connection, low), {message: /cluster support disabled/});
  await t.throwsAsync(get(connection, low), {message: /cluster support disabled/});
  t.is(told.errors.length, 1);
  says.slots = () => slots([0, 16_383, first.port]);
  clock.now += aWhile;
  t.is(await get(connection, low), 'first');
  says.first = () => {
    first.drop();
    return undefined;
  };
  await t.throwsAsync(get(connection, low));
  t.is(told.errors.length, 2);
});

check('a node that is back ends its outage', async (t) => {
  const {first} = await startNodes(t);
  const told = new Told();
  const connection = connectTo(t, [first.address], {told});
  await connection.ping();
  for (let outage = 1; outage <= 2; outage += 1) {
    first.drop();
    await told.reaches(outage);
    await eventually(() => get(connection, low));
  }
  t.is(told.errors.length, 2);
});

check('a connection that is closed keeps none to a node, asks for nothing, and says that it is closed', async (t) => {
  const clock = heldClock(t);
  const {first, second, looks} = await startNodes(t);
  const connection = connectTo(t, [first.address]);
  await connection.ping();
  await connection.close();
  await first.when(() => first.open === 0);
  await second.when(() => second.open === 0);
  clock.now += aWhile;
  const before = looks();
  await t.throwsAsync(get(connection, low), {message: 'The connection to the cluster is closed'});
  await t.throwsAsync(connection.ping(), {message: 'The connection to the cluster is closed'});
  await connection.close();
  t.is(looks(), before);
  t.deepEqual([first.open, second.open], [0, 0]);
});

check('closing waits for the answer who has which slots, and connects to nobody', async (t) => {
  const {first, second, says, looksAfter} = await startNodes(t);
  let answer = (): void => undefined;
  says.slots = () =>
    new Promise((resolve) => {
      answer = () => {
        resolve(slots([0, 16_383, second.port]));
      };
    });
  const connection = connectTo(t, [first.address]);
  await looksAfter(0);
  const sent = get(connection, low);
  const rejects = t.throwsAsync(sent, {message: 'The connection to the cluster is closed'});
  await closesOnlyAfter(t, connection, () => {
    answer();
  });
  await rejects;
  t.is(second.connections, 0);
});

check('of many nodes eight are asked who has which slots, and chance decides which', async (t) => {
  const refusal = new Error('ERR This instance has cluster support disabled');
  const nodes = await Promise.all(Array.from({length: 10}, () => RespServer.start(t, () => refusal)));
  const {random} = Math;
  t.teardown(() => {
    Math.random = random;
  });
  let place = 1;
  Math.random = () => (place *= 0.9);
  const hosts = nodes.map(({address}) => address);
  const connection = connectTo(t, hosts);
  await t.throwsAsync(get(connection, low), {message: refusal.message});
  t.deepEqual(
    nodes.map((node) => node.count('CLUSTER')),
    [0, 0, 1, 1, 1, 1, 1, 1, 1, 1],
  );
});
