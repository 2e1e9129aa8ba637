import test from 'ava';
import {heldClock} from './clock.ts';
import {connectTo, get, high, low, slots, startNodes} from './redis-cluster-fakes.ts';
import {freePort} from './redis-server.ts';

// Each test holds the clock, which is everybody's.
const check = test.serial;

/** Longer than the pause between two questions who has which slots, in milliseconds. */
const aWhile = 200;

check('a command goes to the node that has its key, on one connection that stays', async (t) => {
  const {first, second} = await startNodes(t);
  const connection = connectTo(t, [first.address]);
  for (let turn = 0; turn < 3; turn += 1) {
    t.is(await get(connection, low), 'first');
    t.is(await get(connection, high), 'second');
  }
  t.deepEqual([first.count('GET'), second.count('GET')], [3, 3]);
  t.deepEqual([first.openFor('GET'), second.openFor('GET')], [1, 1]);
  t.deepEqual([first.count('ASKING'), second.count('ASKING')], [0, 0]);
  t.is(second.connections, 1);
});

check('it is asked at once who has which slots, and not again while all is well', async (t) => {
  const clock = heldClock(t);
  const {first, looks, looksAfter} = await startNodes(t);
  const connection = connectTo(t, [first.address]);
  await looksAfter(0);
  for (let turn = 0; turn < 3; turn += 1) {
    await get(connection, low);
    await connection.ping();
    clock.now += aWhile;
  }
  t.is(looks(), 1);
  t.deepEqual(first.asked[0], ['CLUSTER', 'SLOTS']);
});

check('a key that has moved is looked for where it is said to be, now and later', async (t) => {
  const clock = heldClock(t);
  const {first, second, says, looks, looksAfter} = await startNodes(t);
  says.first = () => new Error(`MOVED 0 ${second.address}`);
  const connection = connectTo(t, [first.address]);
  t.is(await get(connection, low), 'second');
  t.is(await get(connection, low), 'second');
  t.deepEqual([first.count('GET'), second.count('GET'), second.count('ASKING')], [1, 2, 0]);
  t.is(looks(), 1, 'it has only just been asked who has which slots');
  says.second = () => new Error(`MOVED 0 :${first.port}`);
  says.first = () => 'first';
  clock.now += aWhile;
  t.is(
    await get(connection, low),
    'first',
    'a node that does not know its name says only the port, and means its host',
  );
  await looksAfter(1);
});

check('a key that is on its way is asked for elsewhere this once', async (t) => {
  const clock = heldClock(t);
  const {first, second, says, looks} = await startNodes(t);
  says.first = () => new Error(`ASK 0 ${second.address}`);
  const connection = connectTo(t, [first.address]);
  await connection.ping().catch(() => undefined);
  const before = looks();
  clock.now += aWhile;
  for (let turn = 1; turn <= 2; turn += 1) {
    t.is(await get(connection, low), 'second');
    t.is(first.count('GET'), turn);
    t.deepEqual(second.asked.slice(-2), [['ASKING'], ['GET', low]]);
  }
  await get(connection, high);
  t.deepEqual(second.asked.slice(-2), [
    ['GET', low],
    ['GET', high],
  ]);
  t.is(second.openFor('GET'), 1);
  t.is(looks(), before, 'who has which slots has not changed');
});

check('nodes that send a command to each other for ever are told apart from an answer', async (t) => {
  const {first, second, says} = await startNodes(t);
  says.first = () => new Error(`ASK 0 ${second.address}`);
  says.second = ([name]) => (name === 'ASKING' ? 'OK' : new Error(`ASK 0 ${first.address}`));
  const connection = connectTo(t, [first.address]);
  await t.throwsAsync(get(connection, low), {message: 'The nodes of the cluster do not agree on who has a key'});
  t.is(first.count('GET') + second.count('GET'), 17);
});

check('a command that could not leave follows its key to the node that has it by now', async (t) => {
  const clock = heldClock(t);
  const {first, second, says} = await startNodes(t);
  const gone = await freePort();
  says.slots = () => slots([0, 8191, gone], [8192, 16_383, second.port]);
  const connection = connectTo(t, [first.address]);
  t.is(await get(connection, high), 'second');
  says.slots = () => slots([0, 16_383, first.port]);
  clock.now += aWhile;
  t.is(await get(connection, low), 'first');
});

check('a node that is away and still has the key is an outage, which names the node', async (t) => {
  const clock = heldClock(t);
  const {first, second, says, looks} = await startNodes(t);
  const gone = await freePort();
  says.slots = () => slots([0, 8191, gone], [8192, 16_383, second.port]);
  const connection = connectTo(t, [first.address]);
  await get(connection, high);
  clock.now += aWhile;
  const error = await t.throwsAsync(get(connection, low));
  t.true(error.message.includes(`ECONNREFUSED 127.0.0.1:${gone}`));
  t.true(looks() > 1);
});

check('what a node answers is for the caller, also where it is an error', async (t) => {
  const clock = heldClock(t);
  const {first, says, looks} = await startNodes(t);
  const connection = connectTo(t, [first.address]);
  await get(connection, low);
  clock.now += aWhile;
  says.first = () => new Error('WRONGTYPE Operation against a key of another kind');
  await t.throwsAsync(get(connection, low), {message: 'WRONGTYPE Operation against a key of another kind'});
  says.first = () => 'first';
  await get(connection, high);
  await get(connection, low);
  t.deepEqual([first.count('GET'), looks()], [3, 1]);
});

check('a command whose answer was lost is not sent again, and it is asked anew who has which slots', async (t) => {
  const clock = heldClock(t);
  const {first, second, says, looksAfter} = await startNodes(t);
  const connection = connectTo(t, [first.address]);
  await get(connection, low);
  clock.now += aWhile;
  says.first = () => {
    first.drop();
    return undefined;
  };
  await t.throwsAsync(get(connection, low));
  await looksAfter(1);
  t.deepEqual([first.count('GET'), second.count('GET')], [2, 0]);
});

check('a slot that no node has is an outage that names it', async (t) => {
  const {first, says} = await startNodes(t);
  says.slots = () => slots([1, 16_383, first.port]);
  const connection = connectTo(t, [first.address]);
  await t.throwsAsync(get(connection, low), {message: 'No node of the cluster has the slot 0'});
  t.is(await get(connection, high), 'first');
  await t.throwsAsync(connection.ping(), {message: 'Some slots of the cluster have no node'});
});

check('a command that finds its node too late does not leave', async (t) => {
  const clock = heldClock(t);
  const {first, second, says} = await startNodes(t);
  const connection = connectTo(t, [first.address], {timeout: 1000});
  says.slots = () => {
    clock.now += 1000;
    return slots([0, 16_383, second.port]);
  };
  await t.throwsAsync(get(connection, low), {message: 'No answer within 1000 ms'});
  t.is(second.connections, 0);
});

check('looking for a node takes no longer than what is left of the time', async (t) => {
  const clock = heldClock(t);
  const {first, second, says} = await startNodes(t);
  const gone = await freePort();
  says.slots = () => slots([0, 8191, gone], [8192, 16_383, second.port]);
  const connection = connectTo(t, [first.address], {timeout: 500});
  await get(connection, high);
  says.slots = () => undefined;
  const answer = get(connection, low);
  clock.now += 400;
  await t.throwsAsync(answer, {message: 'No answer within 100 ms'});
});

check('a node that stays silent is waited for no longer than allowed', async (t) => {
  heldClock(t);
  const {first, second, says} = await startNodes(t);
  says.second = () => undefined;
  const connection = connectTo(t, [first.address], {timeout: 200});
  await get(connection, low);
  await t.throwsAsync(get(connection, high), {message: 'No answer within 200 ms'});
  t.is(second.count('GET'), 1);
});
