import {checkedKeySize} from '../sql/rows.ts';

/** The options of an `@keyv/postgres` adapter that name its table. */
export interface PostgresTableOptions {
  readonly schema: string;
  readonly table: string;
  readonly keySize?: number | undefined;
  readonly useUnloggedTable?: boolean | undefined;
}

/** The tables with their schema, as they are written in statements. */
export interface PostgresTables {
  readonly records: string;
  readonly counters: string;
  readonly batches: string;
  /** Creates missing tables. */
  readonly create: string;
  /** How many characters a key may have. */
  readonly keySize: number;
}

/** The tables for an adapter. Its names are unquoted, as in its own statements, unless the host quoted them. */
export function postgresTables({schema, table, useUnloggedTable, ...given}: PostgresTableOptions): PostgresTables {
  const keySize = checkedKeySize(given.keySize);
  const beside = (suffix: string): string => `${schema}.${table.replace(/"?$/, (quote) => suffix + quote)}`;
  const names = {records: `${schema}.${table}`, counters: beside('_counters'), batches: beside('_batches')};
  const createTable = `create ${useUnloggedTable ? 'unlogged ' : ''}table if not exists`;
  const create = `
    ${schema === 'public' ? '' : `create schema if not exists ${schema};`}
    ${createTable} ${names.records} (key varchar(${keySize}) primary key, value text);
    ${createTable} ${names.counters} (
      key text collate "C", name text collate "C", n bigint not null, at bigint, primary key (key, name));
    ${createTable} ${names.batches} (
      writer text primary key, number bigint not null, counted int[] not null, at timestamptz not null default now())`;
  return {...names, create, keySize};
}

/**
 * The statements of the driver. Rows are locked in one order, so that deadlocks are rare. It is the order of bytes,
 * because the order of a language takes two to three times as long.
 */
export function postgresStatements({records, counters, batches, create}: PostgresTables) {
  return {
    create,
    // A standby server refuses it, although it changes no row.
    ping: `update ${batches} set number = number where writer = ''`,
    read: `select key, value from ${records} where key = any($1::text[])`,
    insert: `
      insert into ${records} (key, value)
      select key, value from unnest($1::text[], $2::text[]) as added (key, value) order by key collate "C"
      on conflict (key) do nothing returning key`,
    replace: `update ${records} set value = $3 where key = $1 and value = $2 returning key`,
    remove: `delete from ${records} where key = $1`,
    increment: `
      insert into ${counters} as stored (key, name, n)
      select key, $2, n from unnest($1::text[], $3::bigint[]) as added (key, n) order by key collate "C"
      on conflict (key, name) do update set n = stored.n + excluded.n returning key, n`,
    getCounters: `
      select key, name, n, at from ${counters}
      where key = any($1::text[]) and ($2::text[] is null or name = any($2::text[]))`,
    removeCounters: `delete from ${counters} where key = $1 and ($2::text[] is null or name = any($2::text[]))`,
    setCounters: `
      insert into ${counters} (key, name, n, at)
      select key, name, n, at from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) as given (key, name, n, at)
      order by key collate "C", name collate "C"
      on conflict (key, name) do update set n = excluded.n, at = excluded.at`,
    /** Each part continues after the previous one in the order of the column's collation. */
    recordKeys: `select key from ${records} where key > $1 order by key limit $2`,
    counterKeys: `select distinct key from ${counters} where key > $1 order by key limit $2`,
    forget: `delete from ${batches} where at < now() - interval '1 day'`,
    /**
     * $1 and $2: the writer and the number of the batch. $3 and $4: the keys and records of its links. $5: the indexes of
     * its additions. $6 to $8: the keys of counters, each with its increment and its time. $9 to $11: the increments, with a row for
     * each counter. The rows of links stay locked until everything is stored, so a change of a link waits for the visits
     * that were counted before it. A batch that was taken before changes nothing. The statement returns no row if a link
     * has changed, or while another connection is still storing the same batch.
     */
    count: `
      with unchanged as (
        select from unnest($3::text[], $4::text[]) as link (key, record)
        join ${records} as stored on stored.key = link.key and stored.value = record
        order by link.key collate "C" for share of stored
      ), batch as (
        insert into ${batches} as stored (writer, number, counted) select $1, $2, $5::int[]
        where (select count(*) from unchanged) = cardinality($3::text[])
        on conflict (writer) do update set number = excluded.number, counted = excluded.counted, at = excluded.at
        where stored.number < excluded.number
        returning number, counted
      ), sums as (
        insert into ${counters} as stored (key, name, n, at)
        select key, name, n, at from batch
        cross join unnest($6::text[], $7::int[], $8::bigint[]) as added (key, increment, at)
        join unnest($9::int[], $10::text[], $11::bigint[]) as raised (increment, name, n) using (increment)
        order by key collate "C", name collate "C"
        on conflict (key, name) do update set n = stored.n + excluded.n, at = greatest(stored.at, excluded.at)
      )
      select number, counted from batch
      union all select number, counted from ${batches} where writer = $1 and number >= $2`,
  };
}
