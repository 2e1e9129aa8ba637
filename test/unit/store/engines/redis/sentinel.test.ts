import test from 'ava';
import {connectTo, get, startServers} from '../../../../support/store/redis-sentinel-fakes.ts';

test('the password and the database go to the master, and to no Sentinel that works without', async (t) => {
  const {sentinel, master} = await startServers(t);
  const connection = connectTo(t, [sentinel], {access: 'us%40er:s3cret@', path: 'links/3'});
  await connection.ping();
  t.deepEqual(sentinel.asked, [['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'links']]);
  const greeting = [
    ['AUTH', 'us@er', 's3cret'],
    ['SELECT', '3'],
  ];
  t.deepEqual(master.asked, [...greeting, ['ROLE'], ...greeting, ['PING'], ['PING']]);
});

test('a Sentinel that requires a password gets that of the servers', async (t) => {
  const {sentinel, says} = await startServers(t);
  const {named} = says;
  let isIn = false;
  says.named = (command) => {
    if (command[0] === 'AUTH') isIn = true;
    else if (!isIn) return new Error('NOAUTH Authentication required.');
    return command[0] === 'AUTH' ? 'OK' : named(command);
  };
  const connection = connectTo(t, [sentinel], {access: 'user:s3cret@', path: 'links/3'});
  t.is(await get(connection), 'master');
  const question = ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'links'];
  t.deepEqual(sentinel.asked, [question, ['AUTH', 'user', 's3cret'], question]);
});

test('a Sentinel that does not know the master is an outage that says so', async (t) => {
  const {sentinel, says} = await startServers(t);
  says.named = () => null;
  const connection = connectTo(t, [sentinel], {path: 'others'});
  await t.throwsAsync(get(connection), {message: 'A sentinel does not know the master others'});
});

test('a server that a Sentinel names but that is not yet a master gets no commands', async (t) => {
  const {sentinel, master, says} = await startServers(t);
  says.role = () => ['slave', '127.0.0.1', 1, 'connected', 0];
  const connection = connectTo(t, [sentinel]);
  await t.throwsAsync(get(connection), {message: `The server at ${master.address} is not a master yet`});
  t.false(master.asked.some(([name]) => name === 'GET'));
});

test('of several Sentinels the first that leads to a master is used', async (t) => {
  const {sentinel, says} = await startServers(t);
  const without = await startServers(t);
  without.says.named = () => null;
  t.is(await get(connectTo(t, [without.sentinel, sentinel])), 'master');
  says.named = () => null;
  const connection = connectTo(t, [without.sentinel, sentinel]);
  await t.throwsAsync(get(connection), {message: 'A sentinel does not know the master links'});
});
