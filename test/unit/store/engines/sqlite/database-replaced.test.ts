import {spawnSync} from 'node:child_process';
import {copyFileSync, mkdirSync, readdirSync, renameSync, rmSync} from 'node:fs';
import {dirname, join} from 'node:path';
import process from 'node:process';
import test, {type ExecutionContext} from 'ava';
import {SqliteDatabase} from '../../../../../src/store/engines/sqlite/database.ts';
import {deadline, keys, put, schema} from '../../../../support/store/sqlite-table.ts';
import {temporaryDirectory} from '../../../../support/store/temporary.ts';

const directory = temporaryDirectory();

const refused = {code: 'SQLITE_CANTOPEN'};

/** A database with the key `a` in a directory of its own. */
async function open(t: ExecutionContext, name: string): Promise<{database: SqliteDatabase; path: string}> {
  const path = join(directory, name, 'links.db');
  mkdirSync(dirname(path));
  const database = new SqliteDatabase(path, schema);
  t.teardown(() => database.close());
  await database.write(put('a'), deadline);
  return {database, path};
}

function files(path: string): string[] {
  return ['', '-wal', '-shm'].map((end) => path + end);
}

function remove(path: string): void {
  for (const file of files(path)) rmSync(file, {force: true});
}

/** What another process reads, which then closes the file as the last one if it finds no locks. */
function seenByAnother(t: ExecutionContext, path: string, sql = ''): unknown {
  const script = `
    const database = new (require('libsql'))(process.argv[1], {timeout: 1000});
    database.exec(process.argv[2]);
    const rows = database.prepare('select key from keyv order by key').all().map(({key}) => key);
    const [{integrity_check: check}] = database.prepare('pragma integrity_check').all();
    console.log(JSON.stringify({rows, check}));
    database.close();`;
  const {stdout, stderr} = spawnSync(process.execPath, ['-e', script, path, sql], {encoding: 'utf8', timeout: 20_000});
  t.is(stderr, '');
  const {rows, check} = JSON.parse(stdout) as {rows: unknown; check: unknown};
  t.is(check, 'ok');
  return rows;
}

test('after the file was removed, operations are refused and no new file is created', async (t) => {
  const {database, path} = await open(t, 'removed');
  remove(path);
  await t.throwsAsync(database.write(put('b'), deadline), refused);
  await t.throwsAsync(async () => database.read(keys, deadline), refused);
  t.deepEqual(readdirSync(dirname(path)), []);
});

test('operations succeed again once the file is back', async (t) => {
  const {database, path} = await open(t, 'back');
  const away = `${dirname(path)}-away`;
  renameSync(dirname(path), away);
  await t.throwsAsync(database.write(put('b'), deadline), refused);
  renameSync(away, dirname(path));
  await database.write(put('c'), deadline);
  t.deepEqual(await database.read(keys, deadline), ['a', 'c']);
  t.deepEqual(seenByAnother(t, path), ['a', 'c']);
});

test('after the log was deleted, nothing is acknowledged until the process is restarted', async (t) => {
  const {database, path} = await open(t, 'no-log');
  rmSync(`${path}-wal`);
  await t.throwsAsync(database.write(put('b'), deadline), refused);
  await t.throwsAsync(async () => database.read(keys, deadline), {...refused, message: /restart/});
  const another = new SqliteDatabase(path, schema);
  await t.throwsAsync(another.write(put('b'), deadline), {...refused, message: /restart/});
});

test('after the index of the log was deleted, nothing is acknowledged, and what another process writes stays', async (t) => {
  const {database, path} = await open(t, 'no-index');
  rmSync(`${path}-shm`);
  t.deepEqual(seenByAnother(t, path, "insert into keyv values ('other', '')"), ['a', 'other']);
  await t.throwsAsync(database.write(put('b'), deadline), refused);
  await t.throwsAsync(database.write(put('b'), deadline), {...refused, message: /restart/});
  t.deepEqual(seenByAnother(t, path), ['a', 'other']);
});

test('a file that is gone while its log is there is not created anew, and nothing is lost once it is back', async (t) => {
  const {database, path} = await open(t, 'left-log');
  const away = `${path}-away`;
  renameSync(path, away);
  const atStart = new SqliteDatabase(path, schema);
  await t.throwsAsync(atStart.write(put('b'), deadline), {...refused, message: /is gone, but its log is there/});
  await t.throwsAsync(database.write(put('b'), deadline), refused);
  renameSync(away, path);
  t.deepEqual(await atStart.read(keys, deadline), ['a']);
  await atStart.close();
  await database.write(put('c'), deadline);
  t.deepEqual(seenByAnother(t, path), ['a', 'c']);
});

test('a file that was replaced beside its log is not used until the log is gone', async (t) => {
  const {path: backup} = await open(t, 'backup');
  t.deepEqual(seenByAnother(t, backup, 'pragma wal_checkpoint'), ['a']);
  const {database, path} = await open(t, 'restored');
  await database.write(put('b'), deadline);
  copyFileSync(backup, `${path}-backup`);
  renameSync(`${path}-backup`, path);
  await t.throwsAsync(database.write(put('c'), deadline), refused);
  await t.throwsAsync(async () => database.read(keys, deadline), {
    ...refused,
    message: /was replaced, but not its log/,
  });
  for (const end of ['-wal', '-shm']) rmSync(path + end);
  t.deepEqual(await database.read(keys, deadline), ['a']);
  await database.write(put('d'), deadline);
  t.deepEqual(seenByAnother(t, path), ['a', 'd']);
});

test('writes whose log is deleted before they are stored are rejected, and none runs again', async (t) => {
  const {database, path} = await open(t, 'uncertain');
  let times = 0;
  let group: Array<Promise<void>> = [];
  // Both arrive during a write, so they are stored in one commit.
  await database.write(() => {
    group = [
      database.write((prepare) => {
        times += 1;
        put('b')(prepare);
        rmSync(`${path}-wal`);
      }, deadline),
      database.write(put('c'), deadline),
    ];
  }, deadline);
  for (const write of group) await t.throwsAsync(write, refused);
  t.is(times, 1);
});
