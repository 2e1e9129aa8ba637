import test from 'ava';
import {eventually} from '../../support/store/eventually.ts';
import {freePort} from '../../support/store/redis-server.ts';
import {connectTo, get, place, startServers} from '../../support/store/redis-sentinel-fakes.ts';
import {Told} from '../../support/store/told.ts';

const readOnly = new Error("READONLY You can't write against a read only replica.");

test('the Sentinels are asked at the start, and not again without a failure', async (t) => {
  const {sentinel, master} = await startServers(t);
  const connection = connectTo(t, [sentinel]);
  await sentinel.when(() => sentinel.count('SENTINEL') === 1);
  for (let turn = 0; turn < 3; turn += 1) t.is(await get(connection), 'master');
  t.is(sentinel.count('SENTINEL'), 1);
  t.is(master.openFor('GET'), 1);
  t.is(sentinel.open, 0, 'no connection to a Sentinel stays open');
});

test('after a former master refused a write the new master is found', async (t) => {
  const {sentinel, master, other, says} = await startServers(t);
  const told = new Told();
  const connection = connectTo(t, [sentinel], {told});
  await get(connection);
  says.master = () => readOnly;
  says.named = () => place(other);
  await t.throwsAsync(get(connection), {message: readOnly.message});
  t.is(
    await eventually(async () => {
      const answer = await get(connection);
      if (answer !== 'other') throw new Error('Not there yet');
      return answer;
    }),
    'other',
  );
  await connection.close();
  await master.when(() => master.open === 0);
  t.deepEqual(told.errors, []);
});

test('an error reply of the master is passed on to the caller', async (t) => {
  const {sentinel, master, says} = await startServers(t);
  const connection = connectTo(t, [sentinel]);
  says.master = () => new Error('WRONGTYPE Operation against a key of another kind');
  await t.throwsAsync(get(connection), {message: 'WRONGTYPE Operation against a key of another kind'});
  says.master = () => 'master';
  await get(connection);
  t.is(master.count('GET'), 2);
  t.is(sentinel.count('SENTINEL'), 1);
});

test('a command whose reply was lost is not sent again, and the Sentinels are asked before the next one', async (t) => {
  const {sentinel, master, other, says} = await startServers(t);
  const connection = connectTo(t, [sentinel]);
  await get(connection);
  says.master = () => {
    master.drop();
    return undefined;
  };
  says.named = () => place(other);
  await t.throwsAsync(get(connection));
  t.deepEqual([master.count('GET'), other.count('GET')], [2, 0]);
  t.is(await eventually(() => get(connection)), 'other');
});

test('after the master was lost the Sentinels are asked, also if it is back', async (t) => {
  const {sentinel, master, other, says} = await startServers(t);
  const connection = connectTo(t, [sentinel], {path: 'links/3'});
  await get(connection);
  says.named = () => place(other);
  master.drop();
  await other.when(() => other.count('PING') > 0);
  t.is(await eventually(() => get(connection)), 'other');
  t.is(master.count('GET'), 1);
});

test('a master that is away is an outage with its address, until the Sentinels name another', async (t) => {
  const {sentinel, other, says} = await startServers(t);
  const gone = await freePort();
  says.named = () => ['127.0.0.1', `${gone}`];
  const told = new Told();
  const connection = connectTo(t, [sentinel], {told});
  const error = await t.throwsAsync(get(connection));
  t.true(error.message.includes(`ECONNREFUSED 127.0.0.1:${gone}`));
  says.named = () => place(other);
  t.is(await eventually(() => get(connection)), 'other');
  t.true(told.messages.every((message) => message.includes(`ECONNREFUSED 127.0.0.1:${gone}`)));
});

test('a master that cannot be found is reported, and a lost connection to it is replaced', async (t) => {
  const {sentinel, master, says} = await startServers(t);
  const told = new Told();
  says.named = () => null;
  const connection = connectTo(t, [sentinel], {told});
  await told.reaches(2);
  t.deepEqual(new Set(told.messages), new Set(['A sentinel does not know the master links']));
  says.named = () => place(master);
  for (let loss = 1; loss <= 2; loss += 1) {
    await eventually(() => get(connection));
    master.drop();
  }
  await eventually(() => get(connection));
  t.false(told.messages.some((message) => /closed/i.test(message)));
});

test('the search for the master ends at the deadline', async (t) => {
  const {sentinel, master, says} = await startServers(t);
  says.role = () => undefined;
  const connection = connectTo(t, [sentinel], {timeout: 200});
  await t.throwsAsync(get(connection), {message: 'No answer within 200 ms'});
  t.is(master.count('GET'), 0);
});

test('a silent Sentinel delays no command while another one answers', async (t) => {
  const {sentinel} = await startServers(t);
  const silent = await startServers(t);
  silent.says.named = () => undefined;
  t.is(await get(connectTo(t, [silent.sentinel, sentinel])), 'master');
  await silent.sentinel.when(() => silent.sentinel.open === 0);
});

test('a closed connection leaves none open, and says that it is closed', async (t) => {
  const {sentinel, master} = await startServers(t);
  const connection = connectTo(t, [sentinel]);
  await get(connection);
  await connection.close();
  await master.when(() => master.open === 0);
  await t.throwsAsync(get(connection), {message: 'The connection to Redis is closed'});
  await connection.close();
  t.is(sentinel.count('SENTINEL'), 1);
});

test('a connection closed while the Sentinels are asked connects to no server', async (t) => {
  const {sentinel, master, says} = await startServers(t);
  says.role = () => undefined;
  const connection = connectTo(t, [sentinel]);
  await master.when(() => master.count('ROLE') === 1);
  const rejects = t.throwsAsync(get(connection));
  await connection.close();
  await rejects;
  await master.when(() => master.open === 0);
  t.is(master.connections, 1);
});
