/** The statements of the driver. */
export function sqliteStatements() {
  const [records, counters, batches] = ['short_url', 'short_url_counters', 'short_url_batches'];
  // All keys are one text, because rows are expensive in the client.
  const keysOf = (from: string): string => `
    select json_group_array(key), max(key)
    from (select distinct key from ${from} where key > ? and key < ? order by key limit ?)`;
  // All counters are one text, for the same reason. A name has neither spaces nor line breaks.
  const getCounters = `
    select group_concat(k.key || ' ' || n || ' ' || at || ' ' || name, char(10))
    from json_each(?) k cross join ${counters} c on c.key = k.value`;
  return {
    create: `
      create table if not exists ${records} (key text primary key, value text not null) without rowid;
      create table if not exists ${counters} (
        key text, name text, n integer not null, at integer not null, primary key (key, name)) without rowid;
      create table if not exists ${batches} (
        writer text primary key, number integer not null, counted text not null, at integer not null) without rowid`,

    read: `select value from ${records} where key = ?`,
    readMany: `select key, value from ${records} where key in (select value from json_each(?))`,
    insert: `insert into ${records} (key, value) values (?, ?) on conflict (key) do nothing`,
    replace: `update ${records} set value = ? where key = ? and value = ?`,
    remove: `delete from ${records} where key = ?`,

    /** Adds the same amounts to many keys. The parameters are an object of times by key and one of amounts by name. */
    add: `
      insert into ${counters}
      select added.key, raised.key, raised.value, added.value
      from json_each(?) as added cross join json_each(?) as raised where true
      on conflict (key, name) do update set n = n + excluded.n, at = max(at, excluded.at)`,
    counter: `select n from ${counters} where key = ? and name = ?`,
    getCounters,
    getSomeCounters: `${getCounters} where name in (select value from json_each(?))`,
    removeCounters: `delete from ${counters} where key = ?`,
    removeCounter: `delete from ${counters} where key = ? and name = ?`,
    setCounter: `
      insert into ${counters} values (?, ?, ?, ?)
      on conflict (key, name) do update set n = excluded.n, at = excluded.at`,

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
