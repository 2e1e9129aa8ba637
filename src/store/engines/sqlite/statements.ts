import {planted} from '../../../planted.ts';
import {endOfJoint} from '../../batching/joint-counters.ts';
import {batches, counters, records} from './tables.ts';

export function sqliteStatements() {
  // All keys are one text, because rows are expensive in the client.
  const keysOf = (from: string): string => `
    select json_group_array(key), max(key)
    from (select distinct key from ${from} where key > ? and key < ? order by key limit ?)`;
  // All counters are one text, for the same reason. A name has neither spaces nor line breaks.
  const getCounters = (rows: readonly string[]): string => `
    with wanted as (select key as place, value as key from json_each(?))
    select group_concat(place || ' ' || n || ' ' || at || ' ' || name, char(10)) from (${rows
      .map(
        (condition) => `
        select place, n, at, name from wanted cross join ${counters} c on c.key = wanted.key and ${condition}`,
      )
      .join(' union all ')})`;
  const isJoint = `name < '${endOfJoint}'`;
  return {
    read: `select value from ${records} where key = ?`,
    readMany: `select key, value from ${records} where key in (select value from json_each(?))`,
    /** Text with other characters than ASCII is compared by the caller, because like knows no case of it. */
    search: `
      select key, value from ${records} where key in (select value from json_each(?1))
      and (value like ?2 or key like ?2 or length(cast(value as blob)) > length(value))`,
    insert: `insert into ${records} (key, value, expires) values (?, ?, ?) on conflict (key) do nothing`,
    replace: `
      update ${records} set value = ?, expires = ? where key = ?
      and ${planted('sqlite-blind-replace') ? '(value = ? or true)' : 'value = ?'}`,
    remove: `delete from ${records} where key = ?`,
    removeUnchanged: `delete from ${records} where key = ? and value = ?`,
    collect: `
      delete from ${records}
      where key in (select key from ${records} where expires < ? order by expires limit ?)`,

    /** Adds the same amounts to many keys. The parameters are an object of times by key and one of amounts by name. */
    add: `
      insert into ${counters}
      select added.key, raised.key, raised.value, added.value
      from json_each(?) as added cross join json_each(?) as raised where true
      on conflict (key, name) do update set n = n + excluded.n, at = max(at, excluded.at)`,
    counter: `select n from ${counters} where key = ? and name = ?`,
    getCounters: getCounters(['true']),
    getSomeCounters: getCounters([isJoint, 'name in (select value from json_each(?))']),
    countJoint: `select count(*) from ${counters} where key = ? and ${isJoint}`,
    /** Moves the amounts of a key's joint rows to rows of the single counters. */
    addSingle: `
      insert into ${counters}
      select c.key, single.value, sum(c.n), max(c.at) from ${counters} as c
      cross join json_each('[' || replace(json_quote(substr(c.name, 2)), ' ', '","') || ']') as single
      where c.key = ? and c.${isJoint} group by single.value
      on conflict (key, name) do update set n = n + excluded.n, at = max(at, excluded.at)`,
    removeJoint: `delete from ${counters} where key = ? and ${isJoint}`,
    removeCounters: `delete from ${counters} where key = ?`,
    removeCounter: `delete from ${counters} where key = ? and name = ?`,
    setCounter: `
      insert into ${counters} values (?, ?, ?, ?)
      on conflict (key, name) do update set n = excluded.n${planted('sqlite-old-time') ? '' : ', at = excluded.at'}`,

    /** How many links are unchanged. The parameter is an object of records by key. */
    unchanged: `
      select count(*) from json_each(?) as link
      cross join ${records} as stored on stored.key = link.key and stored.value = link.value`,
    batch: `select number, counted from ${batches} where writer = ?`,
    takeBatch: `
      insert into ${batches} values (?, ?, ?, ?)
      on conflict (writer) do update set number = excluded.number, counted = excluded.counted, at = excluded.at`,
    forget: `delete from ${batches} where at < ?`,

    /** Texts are compared by their bytes, and a key has only printable ASCII after its prefix. */
    keys: {records: keysOf(records), counters: keysOf(counters)},
  };
}
