import {randomBytes} from 'node:crypto';
import test from 'ava';
import {openStore} from '../../../src/store/opening/open.ts';
import {eventually} from '../../support/store/eventually.ts';
import {
  askMysql,
  askPostgres,
  connectMysql,
  connectPostgres,
  newMysql,
  newPostgres,
} from '../../support/engines/servers.ts';
import {forThisFile, missing} from '../../support/store/own.ts';

const user = `u${randomBytes(6).toString('hex')}`;

interface FullServer {
  readonly name: string;
  readonly skip: string | undefined;
  readonly own: string;
  /** Whether its pool gives up idle connections. */
  readonly givesUp: boolean;
  /** Makes the user, who may have two connections. */
  readonly limit: readonly string[];
  /** The number of the user's connections. */
  readonly count: string;
  readonly drop: readonly string[];
  readonly ask: (url: string, text: string) => Promise<Array<Record<string, unknown>>>;
  readonly connect: (url: string) => Promise<{end(): Promise<void>}>;
}

const [missingPostgres, missingMysql] = [await missing('postgres'), await missing('mysql')];
const databases = {postgres: forThisFile(newPostgres(), missingPostgres), mysql: forThisFile(newMysql(), missingMysql)};
const databaseOf = (url: string): string => new URL(url).pathname.slice(1);
const servers: readonly FullServer[] = [
  {
    name: 'postgres',
    skip: missingPostgres,
    givesUp: true,
    own: databases.postgres,
    limit: [
      `create role ${user} login connection limit 2`,
      `alter database "${databaseOf(databases.postgres)}" owner to ${user}`,
      `grant create on schema public to ${user}`,
    ],
    count: `select count(*)::int as count from pg_stat_activity where usename = '${user}'`,
    drop: [`reassign owned by ${user} to postgres`, `drop owned by ${user}`, `drop role ${user}`],
    ask: askPostgres,
    connect: connectPostgres,
  },
  {
    name: 'mysql',
    skip: missingMysql,
    givesUp: false,
    own: databases.mysql,
    limit: [
      `create user ${user}@'%' with max_user_connections 2`,
      `grant all on \`${databaseOf(databases.mysql)}\`.* to ${user}@'%'`,
    ],
    count: `select count(*) as count from information_schema.processlist where user = '${user}'`,
    drop: [`drop user ${user}@'%'`],
    ask: askMysql,
    connect: connectMysql,
  },
];

for (const {name, skip, own, givesUp, limit, count, drop, ask, connect} of servers) {
  const check = skip === undefined ? test : test.skip;
  check(
    `${name}: a server with room for two connections answers every read on them, and the last is kept`,
    async (t) => {
      for (const text of limit) await ask(own, text);
      const url = new URL(own);
      url.username = user;
      const store = openStore(url.href, {namespace: 'n', timeout: 20_000});
      const connections = async (): Promise<number> => Number((await ask(own, count))[0]?.['count']);
      t.teardown(async () => {
        await store.close();
        await eventually(async () => {
          if ((await connections()) > 0) throw new Error('The user is still connected');
        });
        for (const text of drop) await ask(own, text);
      });
      await store.insert('link', 'stored');
      const reads = Array.from({length: 200}, () => store.getMany<string>(['link']));
      t.true((await Promise.all(reads)).every(([entry]) => entry?.value === 'stored'));
      t.is(await connections(), 2);
      t.false(store.isAway);

      if (!givesUp) return;
      // The pool gives up what it does not use, except for its last connection.
      await eventually(async () => {
        if ((await connections()) !== 1) throw new Error('The pool has not given up a connection');
      });
      const session = await connect(url.href);
      t.teardown(() => session.end());
      const again = Array.from({length: 50}, () => store.getMany<string>(['link']));
      t.true((await Promise.all(again)).every(([entry]) => entry?.value === 'stored'));
      t.is(await connections(), 2);
      t.false(store.isAway);
    },
  );
}
