import {randomBytes} from 'node:crypto';
import test, {type ExecutionContext} from 'ava';
import {openStore} from '../../../src/store/opening/open.ts';
import {askPostgres as ask, newPostgres} from '../../support/engines/servers.ts';
import {forThisFile, missing} from '../../support/store/own.ts';
import {RedisServer} from '../../support/store/redis-server.ts';

const noRedis = await missing('redis');
const noPostgres = await missing('postgres');
const onRedis = noRedis === undefined ? test : test.skip;
const onPostgres = noPostgres === undefined ? test : test.skip;
const postgres = forThisFile(newPostgres(), noPostgres);

/** Each write is refused with the message, reads are answered, and writes work again after `mend`. */
async function refusesWrites(t: ExecutionContext, url: string, message: RegExp, mend: () => Promise<unknown>) {
  const store = openStore(url, {namespace: 'n', timeout: 5000});
  t.teardown(() => store.close());
  const batch = {writer: 'w', number: 1, additions: [{keys: ['k'], adds: [{v: 1}], at: 1}]};
  const writes = [() => store.insert('a', 1), () => store.increment('s'), () => store.count(batch)];
  for (const write of writes) await t.throwsAsync(write, {code: 'store_unavailable', message});
  t.is(await store.get('a'), undefined);
  await mend();
  for (const write of writes) await t.notThrowsAsync(write);
}

onRedis('a full Redis says so, and how to end it', async (t) => {
  const redis = await RedisServer.start(t);
  await redis.ask('CONFIG', 'SET', 'maxmemory', '1');
  const message = /^The store refused to write: it has no room\. .*maxmemory/;
  await refusesWrites(t, redis.url, message, () => redis.ask('CONFIG', 'SET', 'maxmemory', '0'));
});

onRedis('a Redis that has become a replica says so', async (t) => {
  const redis = await RedisServer.start(t);
  await redis.ask('REPLICAOF', '127.0.0.1', '1');
  const message = /^The store refused, because it is read-only or a replica\./;
  await refusesWrites(t, redis.url, message, () => redis.ask('REPLICAOF', 'NO', 'ONE'));
});

onRedis('a user without the right to TIME may write', async (t) => {
  const redis = await RedisServer.start(t);
  await redis.ask('ACL', 'SETUSER', 'app', 'on', '>password', '~*', '+@all', '-time');
  const store = openStore(redis.url.replace('//', '//app:password@'), {namespace: 'n', timeout: 20_000});
  t.teardown(() => store.close());
  t.true(await store.insert('link', 1));
});

onPostgres('a Postgres in recovery or in read-only mode says so, and where to connect instead', async (t) => {
  const role = `u${randomBytes(6).toString('hex')}`;
  await ask(postgres, `create role ${role} login`);
  await ask(postgres, `grant create on schema public to ${role}`);
  const url = new URL(postgres);
  url.username = role;
  const tables = openStore(url.href, {namespace: 'n'});
  await tables.insert('b', 1);
  await tables.close();
  await ask(postgres, `alter role ${role} set default_transaction_read_only = on`);
  const message = /^The store refused, because it is read-only or a replica\. Connect to the primary server/;
  await refusesWrites(t, url.href, message, async () => {
    await ask(postgres, `alter role ${role} set default_transaction_read_only = off`);
    // A connection that is being terminated still takes statements, and another one may begin meanwhile.
    await ask(
      postgres,
      `do $$ begin
        while exists (select from pg_stat_activity where usename = '${role}') loop
          perform pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}';
          perform pg_sleep(0.01), pg_stat_clear_snapshot();
        end loop;
      end $$`,
    );
  });
  t.teardown(async () => {
    await ask(postgres, `drop owned by ${role}`);
    await ask(postgres, `drop role ${role}`);
  });
});
