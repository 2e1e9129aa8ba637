import {askMysql, askPostgres} from './servers.ts';

/** How long a row of a single counter takes, in seconds. */
const pause = 0.003;

const onMysql = `
  create trigger slow before insert on short_url_counters for each row
  do if(new.name like ' %', 0, sleep(${pause}))`;

const onPostgres = `
  create function slow() returns trigger language plpgsql as $$
  begin
    if new.name not like ' %' then perform pg_sleep(${pause}); end if;
    return new;
  end $$;
  create trigger slow before insert on short_url_counters for each row execute function slow()`;

/**
 * Makes the server slow where it moves amounts from joint rows to rows of single counters, so that others write in the
 * middle of it. Does nothing on engines without joint rows, and on SQLite, where a transaction is one turn.
 *
 * @param store the connection string of a store that has its tables
 */
export async function slowSplits(store: string): Promise<void> {
  if (store.startsWith('mysql:')) await askMysql(store, onMysql);
  if (store.startsWith('postgres:')) await askPostgres(store, onPostgres);
}
