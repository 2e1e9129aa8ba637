/** Compares a site with 10,000 links with one that has a million: `npm run bench:scale`. */
import {randomBytes} from 'node:crypto';
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {formatCursor} from '../src/links/read/cursor.ts';
import {type Engine, type EngineOptions, engines, whyMissing} from '../test/support/engines/engines.ts';
import type {Owner} from '../test/support/owner.ts';
import {temporaryFolder} from '../test/support/folder.ts';
import {withOwner} from '../test/support/owner.ts';
import {Child} from './child.ts';
import {placeOn} from './engine-sizes.ts';
import {quantile} from './figures.ts';
import {type Growth, growthReport, measureGrowth} from './growth.ts';
import {conditionsOf, engineVersion, machine} from './machine.ts';
import {formatted} from './publish.ts';
import {table} from './report.ts';
import type {Answer, Figures, Question, Size} from './scale-process.ts';

const links = Number(process.env['SCALE_LINKS'] ?? 1_000_000);
const accounts = Number(process.env['SCALE_ACCOUNTS'] ?? 10_000);
const names = (process.env['SCALE_ENGINES'] ?? 'memory,sqlite,redis,postgres,mysql').split(',');
/** The most that a site has of anything whose growth is measured in memory. */
const most = Number(process.env['SCALE_MOST'] ?? 1_000_000);
const isUsual = !Object.keys(process.env).some((name) => name.startsWith('SCALE_'));

const small: Size = {links: 10_000, accounts: 100, largest: 1000};
const large: Size = {links, accounts, largest: Math.floor(links / 10)};
if (!(links >= 2 * small.links && accounts >= 2 * small.accounts)) {
  throw new RangeError(`Expected at least ${2 * small.links} links and ${2 * small.accounts} accounts`);
}

/** So few that the largest account does not get more links than it should have in the end. */
const creates: Question = {
  do: 'create',
  rounds: 5,
  count: Math.min(1000, Math.floor((large.largest - small.largest) / 5)),
};

type Process = Child<Question, Answer>;

interface Measured {
  readonly engine: string;
  /** How long the measurement took, in seconds. */
  readonly seconds: number;
  readonly version: string | undefined;
  readonly small: Figures;
  readonly large: Figures;
}

async function measure({name, place: where}: Engine, owner: Owner): Promise<Measured> {
  const begin = performance.now();
  const place = where !== 'memory' ? await placeOn(name, owner) : undefined;
  const options: EngineOptions = {
    store: 'memory:',
    namespace: 'shorturl',
    secret: randomBytes(24).toString('base64url'),
    storeTimeout: 20_000,
    ...place?.options,
  };
  const newProcess = async (): Promise<{process: Process; figures: Figures}> => {
    const process: Process = new Child('scale-process.ts');
    owner.teardown(() => process.close());
    return {process, ...(await process.ask({do: 'start', options}))};
  };
  const writer = (await newProcess()).process;
  await writer.ask({do: 'warm'});
  /** What is stored besides the links. */
  let others = await place?.used();

  const measureAt = async (size: Size): Promise<Figures> => {
    const {figures: filled, shortUrls = []} = await writer.ask({do: 'fill', size});
    const look: Question = {do: 'look', shortUrls, middle: middleOf(size)};
    // Only the process that has filled the memory can read it.
    const live: Question = {do: 'live', options, shortUrls};
    if (place === undefined || others === undefined) {
      return {...filled, ...(await all(writer, live, look, creates))};
    }
    const before = await place.used();
    const bytes = (before - others) / size.links;
    await writer.ask(live);
    others += (await place.used()) - before;
    const starts: Figures[] = [];
    while (starts.length < 3) {
      const {process, figures} = await newProcess();
      starts.push({...figures, ...(await all(process, {do: 'visit', shortUrl: shortUrls[0] ?? ''}))});
      await process.close();
    }
    const reader = (await newProcess()).process;
    const read = await all(reader, look);
    await reader.close();
    const copier: Process = new Child('scale-process.ts');
    const to = `sqlite:${join(await temporaryFolder(owner), 'copy.db')}`;
    const copied = await all(copier, {do: 'copy', options, to});
    await copier.close();
    return {...filled, bytes, ...medians(starts), ...read, ...copied, ...(await all(writer, creates))};
  };
  const [atFirst, atLast] = [await measureAt(small), await measureAt(large)];
  const version = await engineVersion(options.store);
  return {engine: name, seconds: (performance.now() - begin) / 1000, version, small: atFirst, large: atLast};
}

/** Asks several questions and joins the figures. */
async function all(process: Process, ...questions: readonly Question[]): Promise<Figures> {
  let figures: Figures = {};
  for (const question of questions) figures = {...figures, ...(await process.ask(question)).figures};
  return figures;
}

function medians(several: readonly Figures[]): Figures {
  const names = Object.keys(several[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [
      name,
      quantile(
        several.map((each) => each[name] ?? Number.NaN),
        0.5,
      ),
    ]),
  );
}

function middleOf(size: Size): {ofLargest: string; ofLinks: string; ofAccounts: string} {
  const account = Math.ceil(size.accounts / 2);
  return {
    ofLargest: formatCursor('newest', Math.ceil(size.largest / 2)),
    ofLinks: formatCursor('newest', Math.ceil(size.links / 2)),
    ofAccounts: formatCursor('newest', account),
  };
}

/** A line of the report. */
interface Row {
  readonly figure: string;
  readonly text: string;
  /** Shows how many in a second, and not how long each takes. */
  readonly isRate?: true;
  /** Why it grows. By default it is expected to stay the same. */
  readonly grows?: string;
}

const everyOne = 'reads every link of the account, in calls of at most about 1,000';
const sections: ReadonlyArray<{readonly title: string; readonly rows: readonly Row[]}> = [
  {
    title: 'Redirects, one at a time, ms',
    rows: [
      {figure: 'unseen', text: 'a link that the process has not seen'},
      {figure: 'seen', text: 'the same link again'},
    ],
  },
  {
    title: 'Links created in a second, by `links.createMany`',
    rows: [
      {figure: 'createInNew', text: 'in a new account', isRate: true},
      {figure: 'createInLargest', text: 'in the largest account', isRate: true},
      {figure: 'fill', text: 'in eight accounts at once: the first links, and all others', isRate: true},
    ],
  },
  {
    title: 'One link, ms',
    rows: [
      {figure: 'info', text: '`links.info`'},
      {figure: 'find', text: '`admin.find`'},
    ],
  },
  {
    title: 'The largest account, ms',
    rows: [
      {figure: 'newest', text: 'newest page of 50 links'},
      {figure: 'middle', text: 'page of 50 links in the middle'},
      {figure: 'searchCall', text: 'one call of a search that finds nothing'},
      {figure: 'search', text: 'the whole search', grows: everyOne},
      {figure: 'activeUrls', text: '`list_active_urls` without a limit, over HTTP', grows: 'lists every link'},
      {
        figure: 'accountStats',
        text: '`accounts.stats`',
        grows: 'reads one record of the index for each 50 links of the account',
      },
    ],
  },
  {
    title: "The operator's lists, ms",
    rows: [
      {figure: 'ofAll', text: 'newest page of 50 links of all accounts'},
      {figure: 'middleOfAll', text: 'page of 50 links in the middle'},
      {figure: 'searchName', text: 'one call of a search for a short part'},
      {figure: 'searchAllCall', text: 'one call of a search that finds nothing'},
      {figure: 'searchAll', text: 'the whole search', grows: 'reads every link of every account, in such calls'},
      {figure: 'ofAccounts', text: 'newest page of 50 accounts'},
      {figure: 'middleOfAccounts', text: 'page of 50 accounts in the middle'},
      {figure: 'searchAccounts', text: 'the whole search of accounts', grows: 'reads every account'},
      {
        figure: 'siteStats',
        text: '`admin.stats`',
        grows: 'reads the totals and the index of every account, at most once a minute in each process',
      },
    ],
  },
  {
    title: 'Processes',
    rows: [
      {figure: 'start', text: 'from the import until `ready()`, ms'},
      {figure: 'firstVisit', text: 'first redirect of the process, ms'},
      {figure: 'startMemory', text: 'memory of a process after its start, MB'},
      {
        figure: 'peak',
        text: 'maximum memory of a process that answers all of the above, MB',
        grows: 'includes the links if the store is memory',
      },
      {figure: 'copy', text: 'links copied in a second, the whole site', isRate: true},
      {figure: 'copyPeak', text: 'maximum memory of the copying process, MB'},
    ],
  },
  {title: 'The engine', rows: [{figure: 'bytes', text: 'bytes for each link, with its index and its account'}]},
];

/** From which ratio on a figure has grown. Less is noise. */
const noticeable = 1.5;

const number = (value: number): string => value.toLocaleString('en', {maximumSignificantDigits: 3});
const count = (value: number): string => value.toLocaleString('en');
const show = (value: number, {isRate}: Row): string => number(isRate ? 1000 / value : value);

/** How many times as much it costs on the large site. */
function ratioOf({figure}: Row, {small: before, large: after}: Measured): number {
  return (after[figure] ?? Number.NaN) / (before[figure] ?? Number.NaN);
}

function cell(row: Row, measured: Measured): string {
  const [before, after] = [measured.small[row.figure], measured.large[row.figure]];
  if (before === undefined || after === undefined) return '';
  return `${show(before, row)} → ${show(after, row)} (${ratioOf(row, measured).toFixed(2)})`;
}

/** The ratios of the engines on which a figure has grown. */
function growthOf(row: Row, results: readonly Measured[]): string {
  const grown = results.filter((measured) => ratioOf(row, measured) > noticeable);
  return grown.map((measured) => `${measured.engine} ${number(ratioOf(row, measured))}`).join(', ');
}

function report(results: readonly Measured[], growth: readonly Growth[]): string {
  const rows = sections.flatMap(({title, rows}) => rows.map((row) => ({title, row, growth: growthOf(row, results)})));
  const line = ({title, row: {text, grows}, growth}: (typeof rows)[number]): string =>
    `- ${title.replace(/, ms$/, '')}: ${text}${grows === undefined ? '' : ` ${grows}`} (${growth})`;
  const grown = rows.filter(({growth}) => growth !== '');
  const list = (lines: readonly string[]): string => (lines.length > 0 ? lines.join('\n') : 'None.');
  return `# Scale

Measured with \`npm run bench:scale\` on ${loadedMachine.date}. The report compares one site at two sizes:

- ${count(small.links)} links of ${count(small.accounts)} accounts, of which the largest has ${count(small.largest)} links,
- ${count(large.links)} links of ${count(large.accounts)} accounts, of which the largest has ${count(large.largest)} links.

A cell has the figure at the small size, that at the large one, and in brackets how many times as much it costs there. A cost that does not depend on the number of links has about 1.00.

${conditionsOf(loadedMachine)}
- Engines, on the same machine: ${results.flatMap(({version}) => version ?? []).join(', ')}.
- Links are visited, read and copied in new processes, which have not seen them before. In memory, one process does everything, so its maximum memory includes the links.
- Calls are made one at a time. Figures are medians of several calls, apart from whole searches and lists, \`admin.stats\` and copies, which run once.
- A copy is one of the whole site to a new SQLite file. It includes the comparison at its end.
- Bytes are those that the engine uses without compaction: \`used_memory\` of a Redis server without other data, the file of SQLite, \`pg_total_relation_size\`, and \`data_length\` with \`index_length\`. Links have no visits then. Before the rest is measured, 1,000 links and their accounts get 14 months of visits and conversions.

${figuresOf(results)}

## What grows with the number of links

In brackets are the ratios above ${noticeable}.

${list(grown.filter(({row}) => row.grows !== undefined).map(line))}

Grown without a known reason:

${list(grown.filter(({row}) => row.grows === undefined).map(line))}

${growthReport(growth)}
`;
}

function figuresOf(results: readonly Measured[]): string {
  const body = sections.flatMap(({title, rows}) => [
    [`**${title}**`, ...results.map(() => '')],
    ...rows.map((row) => [row.text, ...results.map((measured) => cell(row, measured))]),
  ]);
  return table(['', ...results.map(({engine}) => engine)], body);
}

const loadedMachine = machine();
const growth = await measureGrowth(most);
const results: Measured[] = [];
for (const engine of engines.filter(({name}) => names.includes(name))) {
  const missing = await whyMissing(engine);
  if (missing === undefined) {
    const measured = await withOwner((owner) => measure(engine, owner));
    results.push(measured);
    console.log(`${engine.name}: ${Math.round(measured.seconds)} s`);
  } else {
    console.warn(`Left out: ${missing}`);
  }
}
const isComplete = isUsual && results.length === names.length;
const folder = fileURLToPath(new URL(isComplete ? 'results/' : '../reports/bench/', import.meta.url));
mkdirSync(folder, {recursive: true});
const file = join(folder, 'scale.md');
writeFileSync(file, await formatted(file, report(results, growth)));
console.log(`Written to ${file}`);
