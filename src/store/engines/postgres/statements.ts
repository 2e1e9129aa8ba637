import {planted} from '../../../planted.ts';
import {endOfJoint} from '../../batching/joint-counters.ts';
import type {SqlTables} from '../sql/driver.ts';
import {encoding} from './sessions.ts';

/** What the role must be allowed to do with each table. */
export const rights = ['select', 'insert', 'update', 'delete'] as const;

/** A query about the server, with one row. `to_regclass` returns null for a missing table. */
function factsOf(tables: readonly string[]): string {
  const right = (name: string): string =>
    tables.map((table) => `coalesce(has_table_privilege(to_regclass('${table}'), '${name}'), true)`).join(' and ');
  const settings = ['synchronous_commit', 'fsync', 'full_page_writes', 'default_transaction_read_only'];
  return `
    select current_setting('server_version') as version, pg_is_in_recovery() as is_standby, current_user as role,
      extract(epoch from clock_timestamp()) * 1000 as time, current_setting('server_encoding') as encoding,
      ${settings.map((name) => `current_setting('${name}', true) as ${name}`).join(', ')},
      ${rights.map((name) => `${right(name)} as can_${name}`).join(', ')},
      (select array_agg(oid::regclass::text) from pg_class
        where oid = any(array[${tables.map((table) => `to_regclass('${table}')`).join(', ')}]::oid[])
          and relpersistence <> 'p') as unlogged_tables`;
}

/**
 * Fails with "division by zero", and so undoes the statement, after the time limit. The server computes it for each row
 * that it has written, so after all waits for locks.
 *
 * @param parameter the number of the limit among the values, in seconds since the epoch
 */
function timely(parameter: number): string {
  return `1 / (clock_timestamp() < to_timestamp($${parameter}::float8))::int as timely`;
}

/** @param milliseconds from now; null for a record that does not expire */
function endOf(milliseconds: string): string {
  return `now() + ${milliseconds} * interval '1 millisecond'`;
}

/** Between the texts of a list: arrays of texts need quotes, and take longer. JSON and keys have no control characters. */
export const separator = '\x1f';

/** @param parameter the number of a list among the values */
function list(parameter: number): string {
  return `string_to_array($${parameter}, '${separator}')`;
}

/**
 * The statements of the driver. Rows are locked in one order, so that deadlocks are rare. It is the order of bytes,
 * because the order of a language takes two to three times as long.
 */
export function postgresStatements({records, counters, batches}: SqlTables) {
  return {
    columns: `
      select name as table, attname as column from unnest($1::text[]) as name
      join pg_attribute on attrelid = to_regclass(name) and attnum > 0 and not attisdropped`,
    place: `
      select ${encoding}, exists (select 1 from pg_namespace where nspname = $1) as has_schema`,
    facts: factsOf([records, counters, batches]),
    // A standby server refuses it, although it changes no row.
    ping: `update ${batches} set number = number where writer = ''`,
    read: `select key, value from ${records} where key = any($1::text[])`,
    /** Text with other characters than ASCII is compared by the caller, because engines do not agree on its case. */
    search: `
      select key, value from ${records} where key = any($1::text[])
      and (value collate "C" ilike $2 or key ilike $2 or octet_length(value) > length(value))`,
    insert: `
      insert into ${records} (key, value, expires)
      select key, value, ${endOf('life')} from unnest($1::text[], $2::text[], $3::float8[]) as added (key, value, life)
      order by key collate "C" on conflict (key) do nothing returning key, ${timely(4)}`,
    replace: `
      update ${records} set value = $1, expires = ${endOf('$2::float8')} where key = $3
      and ${planted('postgres-blind-replace') ? '(value = $4 or true)' : 'value = $4'}
      returning key, ${timely(5)}`,
    replaceMany: `
      with unchanged as (
        select stored.key, record, life
        from unnest(${list(1)}, ${list(2)}, ${list(3)}, $4::float8[]) as change (key, expected, record, life)
        join ${records} as stored on stored.key = change.key and stored.value = expected
        order by stored.key collate "C" for no key update of stored
      )
      update ${records} as stored set value = record, expires = ${endOf('life')} from unchanged
      where stored.key = unchanged.key returning stored.key, ${timely(5)}`,
    remove: `delete from ${records} where key = $1 returning ${timely(2)}`,
    removeUnchanged: `delete from ${records} where key = $1 and value = $2 returning key, ${timely(3)}`,
    collect: `
      delete from ${records} where expires < now() and key in (
        select key from ${records} where expires < now() order by expires limit $1 for update skip locked)`,
    increment: `
      insert into ${counters} as stored (key, name, n)
      select key, $2, n from unnest($1::text[], $3::bigint[]) as added (key, n) order by key collate "C"
      on conflict (key, name) do update set n = stored.n + excluded.n returning key, n, ${timely(4)}`,
    getCounters: `select key, name, n, at from ${counters} where key = any($1::text[])`,
    getSomeCounters: `
      select key, name, n, at from ${counters} where key = any($1::text[]) and name = any($2::text[])
      union all select key, name, n, at from ${counters} where key = any($1::text[]) and name < '${endOfJoint}'`,
    removeCounters: `delete from ${counters} where key = $1 returning ${timely(2)}`,
    removeSomeCounters: `delete from ${counters} where key = $1 and name = any($2::text[]) returning ${timely(3)}`,
    jointKeys: `
      select key from ${counters} where key = any($1::text[]) and name < '${endOfJoint}' group by key having count(*) > $2`,
    /** Moves the amounts of a key's joint rows to rows of the single counters. */
    split: `
      with taken as (delete from ${counters} where key = $1 and name < '${endOfJoint}' returning key, name, n, at)
      insert into ${counters} as stored (key, name, n, at)
      select key, single, sum(n), max(at) from taken cross join unnest(string_to_array(substr(name, 2), ' ')) as single
      group by key, single order by single collate "C"
      on conflict (key, name) do update set n = stored.n + excluded.n
        ${planted('postgres-split-time') ? '' : ', at = greatest(stored.at, excluded.at)'}`,
    setCounters: `
      insert into ${counters} (key, name, n, at)
      select key, name, n, at from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) as given (key, name, n, at)
      order by key collate "C", name collate "C"
      on conflict (key, name) do update set n = excluded.n
        ${planted('postgres-old-time') ? '' : ', at = excluded.at'} returning ${timely(5)}`,
    keys: {
      records: `select key from ${records} where key > $1 and key < $2 order by key limit $3`,
      counters: `select distinct key from ${counters} where key > $1 and key < $2 order by key limit $3`,
    },
    forget: `delete from ${batches} where at < now() - interval '${planted('postgres-batch-forgotten') ? '1 minute' : '1 day'}'`,
    /**
     * $1 and $2: the writer and the number of the batch. $3 and $4: the keys and records of its links. $5: the indexes of
     * its additions. $6 to $9: the rows of counters: key, name, amount and time. The rows of links stay locked until
     * everything is stored, so a change of a link waits for the visits that were counted before it. A shared lock would
     * make a MultiXact when two processes lock one row, and they wait for each other at the row's counters anyway. A batch
     * that was taken before changes nothing, and the statement returns its indexes; none if a later batch was taken,
     * because no caller waits for this one any more. It returns null if the batch was taken now, and no row if a link has
     * changed, or while another connection is still storing the same batch.
     */
    count: `
      with unchanged as (
        select from unnest(${list(3)}, ${list(4)}) as link (key, record)
        join ${records} as stored on stored.key = link.key and stored.value = record
        order by link.key collate "C" for no key update of stored
      ), batch as (
        insert into ${batches} as stored (writer, number, counted) select $1, $2, $5::int[]
        where (select count(*) from unchanged) = cardinality(${list(3)})
        on conflict (writer) do update set number = excluded.number, counted = excluded.counted, at = excluded.at
        ${planted('postgres-batch-twice') ? '' : 'where stored.number < excluded.number'}
        returning ${timely(10)}
      ), sums as (
        insert into ${counters} as stored (key, name, n, at)
        select key, name, n, at from batch
        cross join unnest(${list(6)}, ${list(7)}, $8::bigint[], $9::bigint[]) as added (key, name, n, at)
        order by key collate "C", name collate "C"
        on conflict (key, name) do update set n = stored.n + excluded.n, at = greatest(stored.at, excluded.at)
        returning ${timely(10)}
      )
      select null::int[] as counted from batch
      union all select case number when $2 then counted else '{}' end from ${batches} where writer = $1 and number >= $2`,
  };
}
