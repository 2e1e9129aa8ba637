import type {Table} from '../sql/schema.ts';

export const [records, counters, batches] = ['short_url', 'short_url_counters', 'short_url_batches'] as const;

const index = `create index if not exists ${records}_expires on ${records} (expires) where expires is not null`;

const createRecords = `create table if not exists ${records} (key text primary key, value text not null, expires integer) without rowid`;

const createCounters = `create table if not exists ${counters} (
  key text, name text, n integer not null, at integer not null, primary key (key, name)) without rowid`;

const createBatches = `create table if not exists ${batches} (
  writer text primary key, number integer not null, counted text not null, at integer not null) without rowid`;

export const sqliteTables: readonly Table[] = [
  {
    name: records,
    create: [createRecords, index],
    columns: ['key', 'value', 'expires'],
  },
  {name: counters, create: [createCounters], columns: ['key', 'name', 'n', 'at']},
  {name: batches, create: [createBatches], columns: ['writer', 'number', 'counted', 'at']},
];
