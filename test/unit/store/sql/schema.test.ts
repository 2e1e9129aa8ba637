import test from 'ava';
import {missingOf, type Table} from '../../../../src/store/sql/schema.ts';

const tables: readonly Table[] = [
  {name: 'one', create: ['create one', 'index one'], columns: ['key'], added: {newer: ['alter one'], newest: ['last']}},
  {name: 'two', create: ['create two'], columns: ['key']},
];

test('an empty database lacks every table, in its newest form', (t) => {
  t.deepEqual(missingOf(tables, []), ['create one', 'index one', 'create two']);
});

test('a table of an earlier version lacks its newer columns', (t) => {
  const columns = ['key', 'newer', 'newest', 'another'].map((column) => ({table: 'one', column}));
  const two = {table: 'two', column: 'key'};
  t.deepEqual(missingOf(tables, [...columns, two]), []);
  t.deepEqual(missingOf(tables, [...columns.slice(0, 2), two]), ['last']);
  t.deepEqual(missingOf(tables, columns.slice(0, 1)), ['alter one', 'last', 'create two']);
});

test('a table of another program is refused', (t) => {
  t.throws(() => missingOf(tables, [{table: 'one', column: 'id'}]), {name: 'ForeignTableError', message: /table one/});
});
