import {randomBytes} from 'node:crypto';
import {openStore} from '../../../src/store/opening/open.ts';
import {eventually} from '../../support/store/eventually.ts';
import {type SqlEngine, sqlEngines} from '../../support/store/sql-engine.ts';

const user = `u${randomBytes(6).toString('hex')}`;
const databaseOf = ({url}: SqlEngine): string => new URL(url).pathname.slice(1);

interface Statements {
  /** Makes the user, who may have two connections. */
  readonly limit: (database: string) => readonly string[];
  /** The number of the user's connections. */
  readonly count: string;
  readonly drop: readonly string[];
}

const statements: Readonly<Record<SqlEngine['name'], Statements>> = {
  postgres: {
    limit: (database) => [
      `create role ${user} login connection limit 2`,
      `alter database "${database}" owner to ${user}`,
      `grant create on schema public to ${user}`,
    ],
    count: `select count(*)::int as count from pg_stat_activity where usename = '${user}'`,
    drop: [`reassign owned by ${user} to postgres`, `drop owned by ${user}`, `drop role ${user}`],
  },
  mysql: {
    limit: (database) => [
      `create user ${user}@'%' with max_user_connections 2`,
      `grant all on \`${database}\`.* to ${user}@'%'`,
    ],
    count: `select count(*) as count from information_schema.processlist where user = '${user}'`,
    drop: [`drop user ${user}@'%'`],
  },
};

const engines = await sqlEngines();

for (const engine of engines) {
  engine.check('a server with room for two connections answers every read on them, and the last is kept', async (t) => {
    const {limit, count, drop} = statements[engine.name];
    for (const text of limit(databaseOf(engine))) await engine.ask(text);
    const url = new URL(engine.url);
    url.username = user;
    const store = openStore(url.href, {namespace: 'n', timeout: 20_000});
    const connections = async (): Promise<number> => Number((await engine.ask(count))[0]?.['count']);
    t.teardown(async () => {
      await store.close();
      await eventually(async () => {
        if ((await connections()) > 0) throw new Error('The user is still connected');
      });
      for (const text of drop) await engine.ask(text);
    });
    await store.insert('link', 'stored');
    const reads = Array.from({length: 200}, () => store.getMany<string>(['link']));
    t.true((await Promise.all(reads)).every(([entry]) => entry?.value === 'stored'));
    t.is(await connections(), 2);
    t.false(store.isAway);

    // The pool of MySQL keeps idle connections. That of Postgres gives them up, except for the last.
    if (engine.name === 'mysql') return;
    await eventually(async () => {
      if ((await connections()) !== 1) throw new Error('The pool has not given up a connection');
    });
    const session = await engine.connect(url.href);
    t.teardown(() => session.end());
    const again = Array.from({length: 50}, () => store.getMany<string>(['link']));
    t.true((await Promise.all(again)).every(([entry]) => entry?.value === 'stored'));
    t.is(await connections(), 2);
    t.false(store.isAway);
  });
}
