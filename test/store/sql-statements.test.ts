import test from 'ava';
import {SqlStatements} from '../../src/store/sql-statements.ts';
import {type SentStatement, StandInConnection} from './sql-stand-in.ts';

const errors = {
  isConflict: (error: unknown) => (error as Error).message === 'conflict',
  isMissingTable: (error: unknown) => (error as Error).message === 'missing',
};

type Answer = (statement: SentStatement, signal: AbortSignal) => string | Promise<string>;

function statementsOver(
  answer: Answer,
  timeout = 20_000,
): {statements: SqlStatements<string>; connection: StandInConnection<string>; heard: string[]} {
  const connection = new StandInConnection<string>(answer);
  const heard: string[] = [];
  const onError = ({message}: Error): void => void heard.push(message);
  return {statements: new SqlStatements(connection, 'create', errors, {timeout, onError}), connection, heard};
}

function fail(message: string): never {
  throw new Error(message);
}

test('an outage is told once, and the next one again', async (t) => {
  let isAway = true;
  const {statements, heard} = statementsOver(() => (isAway ? fail('away') : 'done'));
  await t.throwsAsync(statements.run('select', []), {message: 'away'});
  await t.throwsAsync(statements.run('select', []), {message: 'away'});
  t.deepEqual(heard, ['away']);
  isAway = false;
  t.is(await statements.run('select', []), 'done');
  isAway = true;
  await t.throwsAsync(statements.run('select', []), {message: 'away'});
  t.deepEqual(heard, ['away', 'away']);
});

test('a statement that met a conflict is sent again', async (t) => {
  let conflicts = 3;
  const {statements, connection, heard} = statementsOver(() => (conflicts-- > 0 ? fail('conflict') : 'done'));
  t.is(await statements.run('update', [1]), 'done');
  t.deepEqual(connection.sent, Array(4).fill({text: 'update', values: [1]}));
  t.deepEqual(heard, []);
});

test('a table that is missing is created, and one that somebody else creates meanwhile will do', async (t) => {
  for (const creating of ['done', 'conflict']) {
    let isThere = false;
    const {statements, connection} = statementsOver(({text}) => {
      if (text !== 'create') return isThere ? 'done' : fail('missing');
      isThere = true;
      return creating === 'done' ? creating : fail(creating);
    });
    t.is(await statements.run('select', []), 'done');
    t.deepEqual(connection.texts, ['select', 'create', 'select']);
  }
});

test('where the table cannot be created, the failure says why', async (t) => {
  const {statements, connection} = statementsOver(({text}) => fail(text === 'create' ? 'not allowed' : 'missing'));
  await t.throwsAsync(statements.run('select', []), {message: 'not allowed'});
  t.deepEqual(connection.texts, ['select', 'create']);
});

test('after it is closed nothing is sent again, no table created and no outage told', async (t) => {
  for (const message of ['conflict', 'missing', 'gone']) {
    let breakOff: ((error: Error) => void) | undefined;
    const {statements, connection, heard} = statementsOver(() => new Promise((_, reject) => (breakOff = reject)));
    const running = statements.run('select', []);
    await statements.close();
    breakOff?.(new Error(message));
    await t.throwsAsync(running, {message});
    t.deepEqual(connection.texts, ['select']);
    t.deepEqual(heard, []);
  }
});

test('when the time is up the table is not created any more', async (t) => {
  const {statements, connection, heard} = statementsOver(
    (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error('missing'));
        });
      }),
    1,
  );
  await t.throwsAsync(statements.run('select', []), {message: 'No answer within 1 ms'});
  await new Promise(setImmediate);
  t.deepEqual(connection.texts, ['select']);
  t.deepEqual(heard, ['No answer within 1 ms']);
});

test('many items are dealt with five hundred at a time', async (t) => {
  const {statements} = statementsOver(() => 'done');
  const items = Array.from({length: 1001}, (_, index) => index);
  t.deepEqual(await statements.runEach(items, async (some) => `${some[0]} and ${some.length}`), [
    '0 and 500',
    '500 and 500',
    '1000 and 1',
  ]);
});
