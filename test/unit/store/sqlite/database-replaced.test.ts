import {spawnSync} from 'node:child_process';
import {mkdirSync, readdirSync, renameSync, rmSync} from 'node:fs';
import {dirname, join} from 'node:path';
import process from 'node:process';
import test, {type ExecutionContext} from 'ava';
import {SqliteDatabase} from '../../../../src/store/sqlite/database.ts';
import {deadline, keys, put, schema} from '../../../support/store/sqlite-table.ts';
import {temporaryDirectory} from '../../../support/store/temporary.ts';

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
