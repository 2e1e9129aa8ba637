import '../support/quick-scrypt.ts';
import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import {createConnection, type ResultSetHeader} from 'mysql2/promise';
import {importLinks} from '../../src/tools/import/import-links.ts';
import {eachOf} from '../support/engines/each.ts';
import {engines} from '../support/engines/engines.ts';
import {runSite} from '../support/tools/world.ts';

const run = promisify(execFile);
const onEach = await eachOf(engines.filter(({name}) => name === 'mysql'));

/** The table as the installer of YOURLS creates it. */
const table = `create table yourls_url (
  \`keyword\` varchar(100) character set utf8mb4 collate utf8mb4_bin not null default '',
  \`url\` text character set utf8mb4 collate utf8mb4_bin not null,
  \`title\` text collate utf8mb4_unicode_ci default null,
  \`timestamp\` timestamp not null default current_timestamp(),
  \`ip\` varchar(41) collate utf8mb4_unicode_ci not null,
  \`clicks\` int(10) unsigned not null,
  primary key (\`keyword\`), key \`ip\` (\`ip\`), key \`timestamp\` (\`timestamp\`), key \`url_idx\` (\`url\`(30))
) default charset=utf8mb4 collate=utf8mb4_bin`;

const rows = [
  ['a1', `https://a.example/?x='y'&z="1"`, `It's 100% "ok" \\ and -- x /* y */ # z`, '2020-06-01 12:00:00', 5],
  ['Zz', 'https://b.example/ünï/日本', '日本 😀', '2020-06-02 12:00:00', 0],
  ['zz', 'https://c.example/', null, '2020-06-03 12:00:00', 4_294_967_295],
] as const;

onEach((check) => {
  check('a dump of YOURLS is imported unchanged, with any options of mysqldump', async (t, engine) => {
    const {store} = await engine.fresh(t);
    const {hostname, port, username, pathname} = new URL(store);
    const database = pathname.slice(1);
    const connection = await createConnection({uri: store, charset: 'utf8mb4', timezone: 'Z'});
    try {
      await connection.query<ResultSetHeader>("set time_zone = '+00:00'");
      await connection.query<ResultSetHeader>(table);
      for (const [keyword, url, title, date, clicks] of rows) {
        const values = [keyword, url, title, date, '::1', clicks];
        await connection.query<ResultSetHeader>('insert into yourls_url values (?, ?, ?, ?, ?, ?)', values);
      }
    } finally {
      await connection.end();
    }
    for (const more of [
      [],
      ['--complete-insert'],
      ['--skip-extended-insert'],
      ['--hex-blob', '--compact'],
      ['--no-create-info'],
      ['--replace', '--skip-quote-names'],
      ['--insert-ignore', '--skip-opt'],
      ['--databases'],
    ]) {
      const server = [`--host=${hostname}`, `--port=${port === '' ? '3306' : port}`, `--user=${username}`];
      const {stdout} = await run('mysqldump', [...server, '--default-character-set=utf8mb4', ...more, database]);
      const place = {store: new Map()};
      const {shortener} = await runSite(t, place);
      await shortener.accounts.create('ann');
      const options = {...place, account: 'ann', baseUrl: 'https://example.com'};
      t.like(await importLinks({...options, format: 'yourls', file: [stdout]}), {read: 3, imported: 3, codes: {}});
      const found = [];
      for await (const link of shortener.links.list('ann')) {
        found.push([link.shortUrlPart, link.originalUrl, link.title, link.dateCreated, link.totalVisits]);
      }
      t.deepEqual(found, rows as unknown as typeof found, more.join(' '));
    }
  });
});
