import {maxName} from '../../batching/joint-counters.ts';
import type {Table} from '../sql/schema.ts';
import type {SqlTables} from '../sql/driver.ts';

/** A key has at most 200 characters, and its namespace 32. */
const keySize = 255;

export const ascii = 'character set ascii collate ascii_bin';

export function mysqlTables({records, counters, batches}: SqlTables): readonly Table[] {
  const createRecords = `create table if not exists ${records} (
  id varchar(${keySize}) ${ascii} primary key,
  value longtext character set utf8mb4 collate utf8mb4_bin not null,
  expires bigint, index (expires)) engine = InnoDB`;
  const createCounters = `create table if not exists ${counters} (
  id varchar(${keySize}), name varchar(${maxName}), n bigint not null, at bigint, primary key (id, name))
  engine = InnoDB ${ascii}`;
  const createBatches = `create table if not exists ${batches} (
  writer varchar(${keySize}) primary key, number bigint not null, counted text not null,
  at timestamp not null default current_timestamp) engine = InnoDB ${ascii}`;
  return [
    {
      name: records,
      create: [createRecords],
      columns: ['id', 'value', 'expires'],
    },
    {name: counters, create: [createCounters], columns: ['id', 'name', 'n', 'at']},
    {name: batches, create: [createBatches], columns: ['writer', 'number', 'counted', 'at']},
  ];
}
