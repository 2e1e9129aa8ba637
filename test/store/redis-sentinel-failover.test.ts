import test, {type ExecutionContext} from 'ava';
import {heldClock} from './clock.ts';
import {closesOnlyAfter} from './closing.ts';
import {eventually} from './eventually.ts';
import {freePort} from './redis-server.ts';
import {connectTo, get, place, startServers} from './redis-sentinel-fakes.ts';
import {Told} from './told.ts';

// Each test holds the clock, which is everybody's.
const check = test.serial;

/** Longer than the pause between two questions who the master is, in milliseconds. */
const aWhile = 200;

const readOnly = new Error("READONLY You can't write against a read only replica.");

check('the sentinels are asked at once, and not again while all is well', async (t) => {
  const clock = heldClock(t);
  const {sentinel, master} = await startServers(t);
  const connection = connectTo(t, [sentinel]);
  await sentinel.when(() => sentinel.count('SENTINEL') === 1);
  for (let turn = 0; turn < 3; turn += 1) {
    t.is(await get(connection), 'master');
    clock.now += aWhile;
  }
  t.is(sentinel.count('SENTINEL'), 1);
  t.is(master.openFor('GET'), 1);
});

check('a write that a former master refuses goes to the new one', async (t) => {
  const clock = heldClock(t);
  const {sentinel, master, other, says} = await startServers(t);
  const connection = connectTo(t, [sentinel]);
  await get(connection);
  clock.now += aWhile;
  says.master = () => readOnly;
  says.named = () => place(other);
  t.is(await get(connection), 'other');
  t.deepEqual([master.count('GET'), other.count('GET')], [2, 1]);
  await master.when(() => master.open === 0);
  t.is(await get(connection), 'other');
  t.is(sentinel.count('SENTINEL'), 2);
});

check('a write that is refused twice is an outage, and the sentinels are asked before the next one', async (t) => {
  const clock = heldClock(t);
  const {sentinel, master, says} = await startServers(t);
  const connection = connectTo(t, [sentinel]);
  says.master = () => readOnly;
  await t.throwsAsync(get(connection), {message: readOnly.message});
  t.is(master.count('GET'), 2);
  clock.now += aWhile;
  says.master = () => 'master';
  t.is(await get(connection), 'master');
  t.is(sentinel.count('SENTINEL'), 2);
});

check('what the master answers is for the caller, also where it is an error', async (t) => {
  const clock = heldClock(t);
  const {sentinel, master, says} = await startServers(t);
  const connection = connectTo(t, [sentinel]);
  says.master = () => new Error('WRONGTYPE Operation against a key of another kind');
  await t.throwsAsync(get(connection), {message: 'WRONGTYPE Operation against a key of another kind'});
  clock.now += aWhile;
  says.master = () => 'master';
  await get(connection);
  t.is(master.count('GET'), 2);
  t.is(sentinel.count('SENTINEL'), 1);
});

check(
  'a command whose answer was lost is not sent again, and the sentinels are asked before the next one',
  async (t) => {
    const clock = heldClock(t);
    const {sentinel, master, other, says} = await startServers(t);
    const connection = connectTo(t, [sentinel]);
    await get(connection);
    clock.now += aWhile;
    says.master = () => {
      master.drop();
      return undefined;
    };
    says.named = () => place(other);
    await t.throwsAsync(get(connection));
    t.deepEqual([master.count('GET'), other.count('GET')], [2, 0]);
    t.is(await get(connection), 'other');
    t.is(sentinel.count('SENTINEL'), 2);
  },
);

/** A master that is gone for good, and another one that has taken its place by the next command. */
async function replaceLostMaster(t: ExecutionContext) {
  const clock = heldClock(t);
  const {sentinel, master, other, says} = await startServers(t);
  const told = new Told();
  const connection = connectTo(t, [sentinel], {told});
  await get(connection);
  await master.stop();
  await told.reaches(1);
  says.named = () => place(other);
  clock.now += aWhile;
  return {connection, other, told};
}

check('a command that could not leave goes to the new master', async (t) => {
  const {connection} = await replaceLostMaster(t);
  t.is(await get(connection), 'other');
});

check('after a master was lost the sentinels are asked, also when it has come back', async (t) => {
  const clock = heldClock(t);
  const {sentinel, master, other, says} = await startServers(t);
  const told = new Told();
  const connection = connectTo(t, [sentinel], {path: 'links/3', told});
  await get(connection);
  const greetings = master.count('SELECT');
  master.drop();
  await told.reaches(1);
  await master.when(() => master.count('SELECT') > greetings);
  says.named = () => place(other);
  clock.now += aWhile;
  t.is(await get(connection), 'other');
  t.is(master.count('GET'), 1);
});

check('a master that is named again keeps its connection', async (t) => {
  const clock = heldClock(t);
  const {sentinel, master, says} = await startServers(t);
  const connection = connectTo(t, [sentinel], {timeout: 200});
  let answer: (reply: string) => void = () => undefined;
  says.master = ([, key]) => {
    if (key !== 'slow') return 'master';
    return new Promise((resolve) => {
      answer = resolve;
    });
  };
  await get(connection);
  await t.throwsAsync(connection.send('slow', ['GET', 'slow']), {message: 'No answer within 200 ms'});
  answer('late');
  const before = master.connections;
  clock.now += aWhile;
  t.is(await get(connection), 'master');
  t.is(sentinel.count('SENTINEL'), 2);
  t.is(master.connections, before + 1, 'one more has asked for the role');
});

check('a master that is away is an outage that names it, for as long as no other is named', async (t) => {
  const {sentinel, says} = await startServers(t);
  const gone = await freePort();
  says.named = () => ['127.0.0.1', `${gone}`];
  const connection = connectTo(t, [sentinel]);
  const error = await t.throwsAsync(get(connection));
  t.true(error.message.includes(`ECONNREFUSED 127.0.0.1:${gone}`));
});

check('an outage is told of once, and the next one again', async (t) => {
  const clock = heldClock(t);
  const {sentinel, master, says} = await startServers(t);
  const told = new Told();
  says.named = () => null;
  const connection = connectTo(t, [sentinel], {told});
  await t.throwsAsync(get(connection));
  clock.now += aWhile;
  await t.throwsAsync(get(connection));
  t.is(told.errors.length, 1);
  says.named = () => place(master);
  clock.now += aWhile;
  await get(connection);
  for (let outage = 2; outage <= 3; outage += 1) {
    master.drop();
    await told.reaches(outage);
    clock.now += aWhile;
    await eventually(() => get(connection));
  }
  t.is(master.openFor('GET'), 1, 'the same connection has been opened again');
});

check('a former master that was lost is no outage any more when a new one is followed', async (t) => {
  const {connection, other, told} = await replaceLostMaster(t);
  t.is(await get(connection), 'other');
  other.drop();
  await told.reaches(2);
});

check('a command that finds the master too late does not leave', async (t) => {
  const clock = heldClock(t);
  const {sentinel, master, says} = await startServers(t);
  says.role = () => {
    clock.now += 1000;
    return ['master'];
  };
  const connection = connectTo(t, [sentinel], {timeout: 1000});
  await t.throwsAsync(get(connection), {message: 'No answer within 1000 ms'});
  t.is(master.count('GET'), 0);
});

check('looking for the master takes no longer than what is left of the time', async (t) => {
  const clock = heldClock(t);
  const {sentinel, says} = await startServers(t);
  const connection = connectTo(t, [sentinel], {timeout: 500});
  await get(connection);
  clock.now += aWhile;
  says.named = () => undefined;
  says.master = () => {
    clock.now += 400;
    return readOnly;
  };
  await t.throwsAsync(get(connection), {message: 'No answer within 100 ms'});
});

check(
  'a connection that is closed keeps none to the master, asks for nothing, and says that it is closed',
  async (t) => {
    const clock = heldClock(t);
    const {sentinel, master} = await startServers(t);
    const connection = connectTo(t, [sentinel]);
    await get(connection);
    await connection.close();
    await master.when(() => master.open === 0);
    clock.now += aWhile;
    await t.throwsAsync(get(connection), {message: 'The connection to Redis is closed'});
    await connection.close();
    t.is(sentinel.count('SENTINEL'), 1);
  },
);

check('closing waits for the answer who the master is, and connects to nobody', async (t) => {
  const {sentinel, master, says} = await startServers(t);
  let answer = (): void => undefined;
  says.role = () =>
    new Promise((resolve) => {
      answer = () => {
        resolve(['master']);
      };
    });
  const connection = connectTo(t, [sentinel]);
  await master.when(() => master.count('ROLE') === 1);
  const rejects = t.throwsAsync(get(connection), {message: 'The connection to Redis is closed'});
  await closesOnlyAfter(t, connection, () => {
    answer();
  });
  await rejects;
  t.is(master.connections, 1);
});
