import {randomUUID} from 'node:crypto';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import mysql from 'mysql2/promise';
import pg from 'pg';
import {openUsers} from '../../../examples/host-app/users/open.ts';
import type {NewUser, Users} from '../../../examples/host-app/users/users.ts';

const redisUrl = 'redis://127.0.0.1:6379';

function temporaryFile(t: ExecutionContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'host-app-users-'));
  t.teardown(() => {
    rmSync(directory, {recursive: true});
  });
  return join(directory, 'site.db');
}

function open(t: ExecutionContext, store: string): Users {
  const users = openUsers(store);
  t.teardown(() => users.close());
  return users;
}

/** The addresses of all users of this run. */
const emails: string[] = [];

function newUser(): NewUser {
  const id = randomUUID();
  const email = `${id}@users.example`;
  emails.push(email);
  return {id, email, passwordHash: 'scrypt-15-8-3$c2FsdA$aGFzaA'};
}

async function whyNoRedis(): Promise<string | undefined> {
  const users = openUsers(redisUrl);
  try {
    await users.ready();
    return undefined;
  } catch (error) {
    return `no Redis at ${redisUrl}: ${String((error as Error).cause)}`;
  } finally {
    await users.close();
  }
}

const noRedis = await whyNoRedis();
if (noRedis !== undefined) console.warn(`The users are not tested on Redis, ${noRedis}`);

const drops: Array<() => Promise<unknown>> = [];

/** A database of this run, dropped at the end; undefined with a warning if the engine does not answer. */
async function ownDatabase(
  engine: string,
  url: string,
  run: (sql: string) => Promise<unknown>,
): Promise<string | undefined> {
  const name = `host_app_${randomUUID().replaceAll('-', '')}`;
  try {
    await run(`CREATE DATABASE ${name}`);
  } catch (error) {
    console.warn(`The users are not tested on ${engine}, which does not answer at ${url}: ${String(error)}`);
    // In CI no store may be left out.
    return process.env['CI'] ? url : undefined;
  }
  drops.push(() => run(`DROP DATABASE ${name}`));
  return url + name;
}

const postgresUrl = 'postgres://postgres@127.0.0.1:5432/';
const postgresDatabase = await ownDatabase('Postgres', postgresUrl, async (sql) => {
  const client = new pg.Client(`${postgresUrl}postgres`);
  await client.connect();
  await client.query(sql).finally(() => client.end());
});
const mysqlUrl = 'mysql://root@127.0.0.1:3306/';
const mysqlDatabase = await ownDatabase('MySQL', mysqlUrl, async (sql) => {
  const connection = await mysql.createConnection(mysqlUrl);
  await connection.query(sql).finally(() => connection.end());
});

test.after.always(async () => {
  if (noRedis !== undefined) return;
  const users = openUsers(redisUrl);
  for (const email of emails) await users.remove(email);
  await users.close();
});

test.after.always(async () => {
  for (const drop of drops) await drop();
});

const stores = {
  memory: () => 'memory:',
  SQLite: (t: ExecutionContext) => `sqlite:${temporaryFile(t)}`,
  // In CI no store may be left out.
  ...(noRedis === undefined || process.env['CI'] ? {Redis: () => redisUrl} : {}),
  ...(postgresDatabase === undefined ? {} : {Postgres: () => postgresDatabase}),
  ...(mysqlDatabase === undefined ? {} : {MySQL: () => mysqlDatabase}),
};

for (const [name, storeOf] of Object.entries(stores)) {
  test(`${name}: a user is found by the email address, and no other`, async (t) => {
    const users = open(t, storeOf(t));
    const user = newUser();
    await users.ready();
    t.is(await users.find(user.email), undefined);
    t.true(await users.add(user));
    t.deepEqual(await users.find(user.email), {...user, logouts: 0});
    t.is(await users.find(newUser().email), undefined);
    t.is(await users.emailOf(user.id), user.email);
    t.is(await users.emailOf(randomUUID()), undefined);
  });

  test(`${name}: of concurrent registrations of one email address the first stays`, async (t) => {
    const store = storeOf(t);
    const first = open(t, store);
    // Two clients of one store act as two processes. Memory has only one.
    const second = name === 'memory' ? first : open(t, store);
    const {email} = newUser();
    const rivals = Array.from({length: 10}, () => ({...newUser(), email}));
    const results = await Promise.all(rivals.map((user, index) => (index % 2 ? first : second).add(user)));
    t.is(results.filter(Boolean).length, 1);
    t.is((await first.find(email))?.id, rivals[results.indexOf(true)]?.id);
    const emails = await Promise.all(rivals.map(({id}) => first.emailOf(id)));
    t.deepEqual(
      emails,
      results.map((isAdded) => (isAdded ? email : undefined)),
    );
  });

  test(`${name}: a removed user is unknown, and can register again as a new one`, async (t) => {
    const users = open(t, storeOf(t));
    const [user, other] = [newUser(), newUser()];
    await users.add(user);
    await users.add(other);
    await users.logOut(user.email);
    await users.remove(user.email);
    await users.remove('nobody@example.org');
    t.is(await users.find(user.email), undefined);
    t.is(await users.emailOf(user.id), undefined);
    t.is((await users.find(other.email))?.id, other.id);
    t.true(await users.add(user));
    t.is((await users.find(user.email))?.logouts, 0);
  });
}
