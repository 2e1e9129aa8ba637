import {planted} from '../../../planted.ts';
import {createHash} from 'node:crypto';
import {endOfJoint, maxName} from '../../batching/joint-counters.ts';
import type {SqlTables} from '../sql/driver.ts';
import {ascii} from './tables.ts';

/** The server's clock, in milliseconds since the epoch, whatever the time zone of the session is. */
export const clock = "timestampdiff(microsecond, '1970-01-01', utc_timestamp(3)) / 1000";

const now = `round(${clock})`;

/** The statements of the driver, for MySQL 8 and MariaDB 10.6 or later. */
export function mysqlStatements({records, counters, batches}: SqlTables) {
  return {
    columns: `
      select table_name as \`table\`, column_name as \`column\` from information_schema.columns
      where table_schema = database() and table_name in (?)`,
    facts: `
      select version() as version, @@global.read_only as is_read_only, @@global.max_allowed_packet as packet,
        @@global.innodb_flush_log_at_trx_commit as flush, @@global.log_bin as has_binlog,
        @@global.sync_binlog as sync_binlog, @@session.sql_mode as mode, ${clock} as time,
        (select group_concat(t.table_name order by t.table_name) from information_schema.tables as t
          left join information_schema.engines as e on e.engine = t.engine
          where t.table_schema = database() and t.table_name in ('${records}', '${counters}', '${batches}')
            and coalesce(e.transactions, 'NO') <> 'YES') as without_transactions`,

    // A read-only server refuses it, although it changes no row.
    ping: `update ${batches} set number = 0 where writer = ''`,
    read: `select id as \`key\`, value from ${records} where id in (?)`,
    /** Text with other characters than ASCII is compared by the caller, because engines do not agree on its case. */
    search: `
      select id as \`key\`, value from ${records} where id in (?)
      and (lower(concat(id, ' ', value)) like ? or length(value) > char_length(value))`,
    /** Changes no row, and reports none, if the key exists. */
    insert: `insert into ${records} (id, value, expires) values (?, ?, ${now} + ?) on duplicate key update id = id`,
    /** Inserts a row if the key is absent, also where a connection reports an unchanged row as changed. The key is there twice. */
    insertAbsent: `
      insert into ${records} (id, value, expires) select ?, ?, ${now} + ? from dual
      where not exists (select 1 from ${records} where id = ?)`,
    replace: `update ${records} set value = ?, expires = ${now} + ? where id = ?
      and ${planted('mysql-case-blind') ? 'lower(value) = lower(?)' : `${bytes('value')} = ${bytes('?')}`}`,
    remove: `delete from ${records} where id = ?`,
    removeUnchanged: `delete from ${records} where id = ? and ${bytes('value')} = ${bytes('?')}`,
    collect: `delete from ${records} where expires < ${now} order by expires limit ?`,

    increment: `
      insert into ${counters} (id, name, n) values ? on duplicate key update n = n + values(n)`,
    sums: `select id as \`key\`, n from ${counters} where id in (?) and name = ?`,
    getCounters: `select id as \`key\`, name, n, at from ${counters} where id in (?)`,
    getSomeCounters: `
      select id as \`key\`, name, n, at from ${counters}
      where id in (?) and (name in (?) or name < '${endOfJoint}')`,
    removeCounters: `delete from ${counters} where id = ?`,
    removeSomeCounters: `delete from ${counters} where id = ? and name in (?)`,

    jointKeys: `
      select id as \`key\` from ${counters} where id in (?) and name < '${endOfJoint}' group by id having count(*) > ?`,
    /**
     * Moves joint rows to a key that only this transaction knows. A visit that raises one of them meanwhile waits, or makes
     * it again under its own key.
     */
    takeJoint: `update ${counters} set id = ? where id = ? and name < '${endOfJoint}'`,
    addSingle: `
      insert into ${counters} (id, name, n, at)
      select ?, single, sum(n), max(at) from ${counters} as joint
      join json_table(concat('[', replace(json_quote(substr(name, 2)), ' ', '","'), ']'), '$[*]' columns (
        single varchar(${maxName}) ${ascii} path '$')) as singles
      where id = ? group by single order by single
      on duplicate key update
        n = ${counters}.n + values(n), at = greatest(coalesce(${counters}.at, values(at)), values(at))`,

    setCounters: `
      insert into ${counters} (id, name, n, at) values ? on duplicate key update
        n = values(n)${planted('mysql-old-time') ? '' : ', at = values(at)'}`,
    keys: {
      records: `select id as \`key\` from ${records} where id > ? and id < ? order by id limit ?`,
      counters: `select distinct id as \`key\` from ${counters} where id > ? and id < ? order by id limit ?`,
    },

    forget: `delete from ${batches} where at < now() - interval 1 day`,
    /**
     * Records a batch: the writer, the keys and digests of its links, how many there are, the number, and the indexes of
     * its additions. If a link has changed, or the batch was recorded before, its number becomes null, and the column's
     * refusal undoes the transaction. The links stay locked until everything is stored. The statement has digests instead
     * of records, because parsing a long statement takes more time than hashing the records.
     */
    takeBatch: `
      insert into ${batches} (writer, number, counted) values (?, if((
        select count(*) from ${records}
        where id in (?) and sha2(concat(${utf8('id')}, ' ', ${utf8('value')}), 256) in (?) lock in share mode
      ) = ?, ?, null), ?)
      on duplicate key update
        number = if(${batches}.number < values(number), values(number), null), counted = values(counted), at = now()`,
    /** Adds to counters. The rows are sorted by their keys and names. */
    add: `
      insert into ${counters} (id, name, n, at) values ? on duplicate key update
        n = ${counters}.n + values(n), at = greatest(coalesce(${counters}.at, values(at)), values(at))`,
    batch: `select number, counted from ${batches} where writer = ?`,
  };
}

/** The digest of a row, as the statement `takeBatch` computes it. A key has no space. */
export function rowDigest(id: string, value: string): string {
  return createHash('sha256').update(`${id} ${value}`).digest('hex');
}

/** Compares texts byte by byte, whatever the collation of the table. */
function bytes(expression: string): string {
  return `cast(${utf8(expression)} as binary)`;
}

function utf8(expression: string): string {
  return `convert(${expression} using utf8mb4)`;
}
