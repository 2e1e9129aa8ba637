import test from 'ava';
import {eventually} from '../../support/store/eventually.ts';
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
