import {spawnSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import test, {type ExecutionContext} from 'ava';
import {libsqlClient, nodeClient, withSqliteCode} from '../../../../../src/store/engines/sqlite/client.ts';
import {temporaryDirectory} from '../../../../support/store/temporary.ts';

// Before anything is declared, because AVA does not wait.
const clients = [nodeClient() ?? [], await libsqlClient()].flat();
const directory = temporaryDirectory();

/** SQLite's name for the error of what is done. */
function codeOf(t: ExecutionContext, doing: () => unknown): unknown {
  return withSqliteCode(t.throws(doing, {any: true})).code;
}

for (const client of clients) {
  const file = (name: string): string => join(directory, `${client.name}-${name}`);

  test(`${client.name}: rows come as arrays, and a missing one is undefined`, (t) => {
    const connection = client.open(':memory:');
    connection.exec('create table t (key text, n integer)');
    t.is(connection.prepare('insert into t values (?, ?), (?, ?)').run(['a', 1, 'b', null]).changes, 2);
    t.deepEqual(connection.prepare('select * from t where key = ?').get(['a']), ['a', 1]);
    t.is(connection.prepare('select * from t where key = ?').get(['c']), undefined);
    const rows = [
      ['a', 1],
      ['b', null],
    ];
    t.deepEqual(connection.prepare('select * from t order by key').all([]), rows);
    connection.close();
  });

  test(`${client.name}: errors get SQLite's names`, (t) => {
    const connection = client.open(file('errors.db'));
    connection.exec('create table t (key text primary key)');
    connection.exec("insert into t values ('a')");
    t.regex(String(codeOf(t, () => connection.prepare('insert into t values (?)').run(['a']))), /^SQLITE_CONSTRAINT/);
    t.is(
      codeOf(t, () => connection.exec('rollback')),
      'SQLITE_ERROR',
    );
    const other = client.open(file('errors.db'));
    other.exec('begin immediate');
    t.is(
      codeOf(t, () => connection.exec('begin immediate')),
      'SQLITE_BUSY',
    );
    other.close();
    connection.close();
    writeFileSync(file('text.db'), 'plain text '.repeat(1000));
    const text = client.open(file('text.db'));
    t.is(
      codeOf(t, () => text.exec('create table t (key)')),
      'SQLITE_NOTADB',
    );
    text.close();
  });
}

/** Adds a row with a client in another process, as two clients in one process would drop each other's locks. */
function added(name: string, path: string, n: number): unknown {
  const script = `
    import {libsqlClient, nodeClient} from ${JSON.stringify(pathToFileURL(resolve('src/store/engines/sqlite/client.ts')).href)};
    const [name, path, n] = process.argv.slice(1);
    const connection = (name === 'libsql' ? await libsqlClient() : nodeClient()).open(path);
    connection.prepare('pragma journal_mode = wal').get([]);
    connection.exec('create table if not exists t (n integer primary key, name text) without rowid');
    connection.prepare('insert into t values (?, ?)').run([Number(n), 'naïve ✓']);
    const [check] = connection.prepare('pragma integrity_check').get([]);
    console.log(JSON.stringify([check, ...connection.prepare('select count(*), max(n), min(name) from t').get([])]));
    connection.close();`;
  const options = [
    '--no-warnings',
    '--import',
    'tsx',
    '--input-type',
    'module',
    '--eval',
    script,
    name,
    path,
    String(n),
  ];
  const {stdout, stderr} = spawnSync(process.execPath, options, {encoding: 'utf8'});
  return stderr === '' ? JSON.parse(stdout) : stderr;
}

test('a file that one client has made is read and changed by the other, in turn', (t) => {
  const path = join(directory, 'both.db');
  const names = clients.map(({name}) => name);
  for (const [index, name] of [...names, ...names].entries())
    t.deepEqual(added(name, path, index), ['ok', index + 1, index, 'naïve ✓'], name);
});

test('an error that is not of a client stays the same', (t) => {
  const error: Error & {code?: unknown} = new TypeError('A bug');
  t.is(withSqliteCode(error), error);
  t.is(withSqliteCode({errcode: 5 + 512}).code, 'SQLITE_BUSY');
  t.is(withSqliteCode({errcode: 101}).code, 'SQLITE_ERROR');
  // A read-only folder, for which libsql has no name.
  t.is(withSqliteCode({code: 'UNKNOWN_SQLITE_ERROR_1544', rawCode: 8 + 1536}).code, 'SQLITE_READONLY');
});
