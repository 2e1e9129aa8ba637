import '../support/quick-scrypt.ts';
import test from 'ava';
import {shortUrl} from '../../src/index.ts';
import {checkStore, plan} from '../../src/tools.ts';
import {askMysql, askPostgres, type Database, newMysql, newPostgres} from '../support/engines/servers.ts';
import {missing} from '../support/store/own.ts';
import {run} from '../support/store/run.ts';
import {ofServers} from '../support/tools/findings.ts';
import {fill, runSite} from '../support/tools/world.ts';

const secret = 'what seals the keys of these tests';
const password = 'of-the-role';
const role = `links_${run.replace(/\W/g, '_')}`;
const tables = ['short_url', 'short_url_counters', 'short_url_batches'];
const rights = 'select, insert, update, delete';

const kinds = [
  {
    name: 'postgres' as const,
    database: newPostgres,
    ask: askPostgres,
    create: `create role ${role} login password '${password}'`,
    grants: [`grant ${rights} on ${tables.join(', ')} to ${role}`],
    drop: `drop owned by ${role}; drop role ${role}`,
  },
  {
    name: 'mysql' as const,
    database: newMysql,
    ask: askMysql,
    create: `create user ${role} identified by '${password}'`,
    grants: tables.map((table) => `grant ${rights} on ${table} to ${role}`),
    drop: `drop user ${role}`,
  },
];

const skips = await Promise.all(kinds.map(({name}) => missing(name)));

for (const [index, {name, database, ask, create, grants, drop}] of kinds.entries()) {
  const skip = skips[index];
  const check = skip === undefined ? test.serial : test.serial.skip;

  async function fresh(t: {teardown: (work: () => Promise<unknown>) => void}): Promise<string> {
    const {store, create: begin, drop: end}: Database = database();
    await begin();
    t.teardown(end);
    return store;
  }

  check(`${name}: with the printed tables, a role that may not create any is enough`, async (t) => {
    const owner = await fresh(t);
    await ask(owner, create);
    t.teardown(() => ask(owner, drop));
    const url = new URL(owner);
    Object.assign(url, {username: role, password});
    const store = url.href;
    const options = {store, namespace: 'shorturl', secret, baseUrl: 'https://example.com'};

    const sql = await plan({store: owner});
    t.is(await plan({store: owner}), sql);
    for (const statement of sql.split(';\n').slice(0, -1)) await ask(owner, statement);
    t.is(await plan({store: owner}), '');
    for (const grant of grants) await ask(owner, grant);

    await fill(await runSite(t, options));
    t.deepEqual(
      (await checkStore(options)).findings.filter(({code}) => !ofServers.includes(code)),
      [],
    );
    t.is(await plan({store: owner}), '');
  });

  check(`${name}: a table of another program is refused at once and left alone`, async (t) => {
    const store = await fresh(t);
    await ask(store, 'create table short_url (number integer primary key, long_url text)');
    const expected = {code: 'store_unavailable', message: /another program has a table/};
    await t.throwsAsync(plan({store}), expected);
    const site = shortUrl({baseUrl: 'https://example.com', store, secret});
    t.teardown(() => site.close());
    await t.throwsAsync(site.ready(), expected);
    await t.throwsAsync(site.accounts.create('ann'), expected);
  });
}
