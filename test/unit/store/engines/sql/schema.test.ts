import test from 'ava';
import {missingOf, type Table} from '../../../../../src/store/engines/sql/schema.ts';

const tables: readonly Table[] = [
  {name: 'one', create: ['create one', 'index one'], columns: ['key', 'value']},
  {name: 'two', create: ['create two'], columns: ['key']},
];

test('an empty database lacks every table', (t) => {
  t.deepEqual(missingOf(tables, []), ['create one', 'index one', 'create two']);
});

test('a table that is there is left alone, also with more columns', (t) => {
  const one = ['key', 'value', 'another'].map((column) => ({table: 'one', column}));
  t.deepEqual(missingOf(tables, one), ['create two']);
  t.deepEqual(missingOf(tables, [...one, {table: 'two', column: 'key'}]), []);
});

test('a table without one of our columns is refused, because another program made it', (t) => {
  for (const column of ['id', 'key'])
    t.throws(() => missingOf(tables, [{table: 'one', column}]), {message: /table one/});
});
