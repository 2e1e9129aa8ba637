import {readdirSync, readlinkSync} from 'node:fs';
import {join} from 'node:path';
import {setImmediate} from 'node:timers/promises';
import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import test, {type ExecutionContext} from 'ava';
import {Deadline} from '../../../../../src/store/failing/deadline.ts';
import {libsqlClient} from '../../../../../src/store/engines/sqlite/client.ts';
import {SqliteDatabase, type Work} from '../../../../../src/store/engines/sqlite/database.ts';
import {lockedBy} from '../../../../support/store/sqlite-connection.ts';
import {deadline, keys, put, schema} from '../../../../support/store/sqlite-table.ts';
import {temporaryDirectory} from '../../../../support/store/temporary.ts';

const directory = temporaryDirectory();

function open(t: ExecutionContext, path = ':memory:'): SqliteDatabase {
  const database = new SqliteDatabase(path, schema);
  t.teardown(() => database.close());
  return database;
}

test('a read is synchronous once the database is open', async (t) => {
  const database = open(t);
  const first = database.read(keys, deadline);
  t.true(first instanceof Promise);
  t.deepEqual(await first, []);
  t.deepEqual(database.read(keys, deadline), []);
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('no file of libsql stays open after close(), once what it has left was collected', async (t) => {
  const path = join(directory, 'closed.db');
  const database = new SqliteDatabase(path, schema, await libsqlClient());
  await database.write(put('a'), deadline);
  await database.read(keys, deadline);
  const opened = (): string[] =>
    readdirSync('/proc/self/fd').filter((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(path);
      } catch {
        return false;
      }
    });
  t.true(opened().length > 0);
  await database.close();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let times = 0; times < 20 && opened().length > 0; times += 1) {
    collect();
    await setImmediate();
  }
  t.deepEqual(opened(), []);
  // It is used until here, as a shortener that the site keeps.
  await t.throwsAsync(async () => database.read(keys, deadline), {message: /closed/});
});

test('a write that fails alone is not tried again', async (t) => {
  const database = open(t);
  let times = 0;
  const failing = database.write(() => {
    times += 1;
    throw new Error('Refused');
  }, deadline);
  await t.throwsAsync(failing, {message: 'Refused'});
  t.is(times, 1);
});

test('an error of the statement leaves the connection in use', async (t) => {
  const database = open(t);
  await database.write(put('a'), deadline);
  const [full, tooBig, mismatch] = ['SQLITE_FULL', 'SQLITE_TOOBIG', 'SQLITE_MISMATCH'];
  for (const code of [undefined, 7, '', full, tooBig, mismatch, 'SQLITE_CONSTRAINT_PRIMARYKEY']) {
    const failing: Work<never> = () => {
      throw Object.assign(new Error('Refused'), {code});
    };
    await t.throwsAsync(database.write(failing, deadline), {message: 'Refused'});
    await t.throwsAsync(async () => database.read(failing, deadline), {message: 'Refused'});
    t.deepEqual(
      await database.read(keys, deadline),
      ['a'],
      `the data in memory would be lost with the connection: ${code}`,
    );
  }
});

test('concurrent writes let the event loop run between their groups', async (t) => {
  const database = open(t);
  await database.read(keys, deadline);
  const order: string[] = [];
  const writes = Array.from({length: 200}, () => database.write(() => order.push('write'), deadline));
  void setImmediate().then(() => order.push('turn'));
  await Promise.all(writes);
  const turn = order.indexOf('turn');
  t.true(turn > 0 && turn < 66, `${turn} writes came first`);
});

test('each write waits for a lock until its own deadline, whatever it is grouped with', async (t) => {
  const path = join(directory, 'deadlines.db');
  const database = open(t, path);
  await database.read(keys, deadline);
  const other = lockedBy(t, path);
  const [first, second] = [new Deadline(1), new Deadline(20)];
  const writes = [
    first.bound(database.write(put('first'), first)),
    second.bound(database.write(put('second'), second)),
    database.write(put('third'), deadline),
  ] as const;
  await t.throwsAsync(writes[0], {message: /^No answer within 1 ms/});
  await t.throwsAsync(writes[1], {message: /^No answer within 20 ms: .*locked/});
  other.exec('commit');
  await writes[2];
  t.deepEqual(await database.read(keys, deadline), ['third']);
});

test('close() stores the writes that have begun, and refuses others', async (t) => {
  const path = join(directory, 'closing.db');
  const database = open(t, path);
  const writes = ['a', 'b', 'c'].map((key) => database.write(put(key), deadline));
  await database.close();
  await Promise.all(writes);
  await t.throwsAsync(database.write(put('late'), deadline), {message: 'The database is closed'});
  await t.throwsAsync(async () => database.read(keys, deadline), {message: 'The database is closed'});
  t.deepEqual(await open(t, path).read(keys, deadline), ['a', 'b', 'c']);
});
