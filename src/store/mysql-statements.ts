import type {MysqlAdapterOptions} from './mysql-options.ts';

/** The tables, as they stand in a statement. */
export interface MysqlTables {
  readonly records: string;
  readonly counters: string;
  readonly batches: string;
  /** How many characters a key may have. */
  readonly keySize: number;
}

/** The tables for an adapter. Its names are quoted as in its own statements. */
export function mysqlTables({table, keySize = 255}: Pick<MysqlAdapterOptions, 'table' | 'keySize'>): MysqlTables {
  const quoted = (name: string): string =>
    name
      .split('.')
      .map((part) => `\`${part.replaceAll('`', '``')}\``)
      .join('.');
  return {records: quoted(table), counters: quoted(`${table}_counters`), batches: quoted(`${table}_batches`), keySize};
}

/** The statements of the driver, for MySQL 8 and MariaDB 10.6 or later. */
export function mysqlStatements({records, counters, batches, keySize}: MysqlTables) {
  const ascii = 'character set ascii collate ascii_bin';
  return {
    // Wider than the adapter's TEXT, which holds 64 kB.
    createRecords: `
      create table if not exists ${records} (id varchar(${keySize}) primary key, value longtext)
      character set utf8mb4 collate utf8mb4_bin`,
    createCounters: `
      create table if not exists ${counters} (
        id varchar(${keySize}), name varchar(100), n bigint not null, at bigint, primary key (id, name)) ${ascii}`,
    createBatches: `
      create table if not exists ${batches} (
        writer varchar(${keySize}) primary key, number bigint not null, counted text not null, fresh text not null,
        at timestamp not null default current_timestamp) ${ascii}`,

    // A server that is read-only refuses it, although it changes no row.
    ping: `update ${batches} set number = 0 where writer = ''`,
    read: `select id, value from ${records} where id in (?)`,
    /** Changes no row, and counts none, if the key is there. */
    insert: `insert into ${records} (id, value) values (?, ?) on duplicate key update id = id`,
    replace: `update ${records} set value = ? where id = ? and ${bytes('value')} = ${bytes('?')}`,
    remove: `delete from ${records} where id = ?`,

    increment: `
      insert into ${counters} (id, name, n) values ? on duplicate key update n = n + values(n)`,
    sums: `select id, n from ${counters} where id in (?) and name = ?`,
    getCounters: `select id as \`key\`, name, n, at from ${counters} where id in (?)`,
    getSomeCounters: `select id as \`key\`, name, n, at from ${counters} where id in (?) and name in (?)`,
    removeCounters: `delete from ${counters} where id = ? and name in (?)`,

    forget: `delete from ${batches} where at < now() - interval 1 day`,
    /** Gives the place of the addition if it has no link. */
    always: 'select ? as place',
    /** Gives the place of the addition if its link has this record, and locks the link until the batch is stored. */
    ifUnchanged: `select ? as place from ${records} where id = ? and ${bytes('value')} = ${bytes('?')} lock in share mode`,
    /** Notes the batch unless it was taken before. Its additions that are still to be added are `fresh`. */
    takeBatch: (additions: readonly string[]): string => `
      insert into ${batches} (writer, number, counted, fresh)
      select writer, number, places, places from (
        select ? as writer, ? as number, coalesce(group_concat(place), '') as places
        from (${additions.map((addition) => `(${addition})`).join(' union all ')}) as live) as batch
      on duplicate key update
        fresh = if(${batches}.number < batch.number, batch.places, ''),
        counted = if(${batches}.number < batch.number, batch.places, counted),
        at = if(${batches}.number < batch.number, now(), at),
        number = greatest(${batches}.number, batch.number)`,
    /** Adds what is fresh of a JSON array of added rows. */
    addFresh: `
      insert into ${counters} (id, name, n, at)
      select id, name, n, at from (
        select id, name, sum(n) as n, max(added.at) as at from ${batches} join json_table(?, '$[*]' columns (
          place int path '$.place', id varchar(${keySize}) ${ascii} path '$.key', name varchar(100) ${ascii} path '$.name',
          n bigint path '$.n', at bigint path '$.at')) as added on find_in_set(place, fresh)
        where writer = ? group by id, name order by id, name) as sums
      on duplicate key update
        n = ${counters}.n + sums.n, at = greatest(coalesce(${counters}.at, sums.at), sums.at)`,
    batch: `select number, counted from ${batches} where writer = ?`,
  };
}

/** Compares texts byte by byte, whatever the character set and the collation of the table. */
function bytes(expression: string): string {
  return `cast(convert(${expression} using utf8mb4) as binary)`;
}
