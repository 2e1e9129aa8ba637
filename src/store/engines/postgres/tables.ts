import type {Table} from '../sql/schema.ts';
import type {SqlTables} from '../sql/driver.ts';

export function postgresTables({records, counters, batches}: SqlTables): readonly Table[] {
  const index = `create index if not exists ${records.replace(/^.*\./, '')}_expires
  on ${records} (expires) where expires is not null`;
  const createRecords = `create table if not exists ${records} (
  key text collate "C" primary key, value text not null, expires timestamptz)`;
  const createCounters = `create table if not exists ${counters} (
  key text collate "C", name text collate "C", n bigint not null, at bigint, primary key (key, name))`;
  const createBatches = `create table if not exists ${batches} (
  writer text collate "C" primary key, number bigint not null, counted int[] not null,
  at timestamptz not null default now())`;
  return [
    {
      name: records,
      create: [createRecords, index],
      columns: ['key', 'value', 'expires'],
    },
    {name: counters, create: [createCounters], columns: ['key', 'name', 'n', 'at']},
    {name: batches, create: [createBatches], columns: ['writer', 'number', 'counted', 'at']},
  ];
}
