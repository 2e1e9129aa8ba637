/** What the hundred-thousandth link costs, and what it takes to list them all: `npm run bench:scale`. */
import {fork} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync, writeFileSync} from 'node:fs';
import {arch, cpus, platform, totalmem} from 'node:os';
import {fileURLToPath} from 'node:url';
import {format} from 'prettier';
import {shortUrl} from '../src/index.ts';
import {type Engine, engines, freshOn, whyMissing} from '../test/support/engines/engines.ts';
import {crowd, range} from '../test/support/engines/crowd.ts';
import type {Listed, Listing} from './scale-listing.ts';

const many = Number(process.env['SCALE_LINKS'] ?? 100_000);
const names = process.env['SCALE_ENGINES']?.split(',');
const few = 1000;
const rounds = 5;
const atOnce = 32;

interface Measured {
  readonly engine: string;
  /** Milliseconds for a thousand creates: the first on the engine, then into a new account and into the full one. */
  readonly first: number;
  readonly fresh: number;
  readonly full: number;
  readonly small: Listed;
  readonly large: Listed;
}

async function measure(engine: Engine): Promise<Measured> {
  const undos: Array<() => unknown> = [];
  try {
    const options = await freshOn(engine, {teardown: (undo) => void undos.push(undo)});
    const shortener = shortUrl({baseUrl: 'https://example.com', ...options});
    undos.push(() => shortener.close());
    const create = async (account: string, count: number): Promise<number> => {
      await shortener.accounts.create(account);
      const begin = performance.now();
      await crowd(range(count), atOnce, (index) =>
        shortener.links.create(account, {url: `https://destination.example/a/page/of/some/length?number=${index}`}),
      );
      return performance.now() - begin;
    };
    // So that nobody pays for code that is not compiled yet.
    await create('warm-up', few);
    const first = await create('full', few);
    await create('full', many - few * (rounds + 1));
    const fresh: number[] = [];
    const full: number[] = [];
    for (const round of range(rounds)) {
      fresh.push(await create(`fresh-${round}`, few));
      full.push(await create('full', few));
    }
    // Links in memory are in no other process.
    const list = engine.isShared ? listElsewhere : createAndListElsewhere;
    const small = await list(options, 'fresh-0', few);
    const large = await list(options, 'full', many);
    return {engine: engine.name, first, fresh: median(fresh), full: median(full), small, large};
  } finally {
    for (const undo of undos.reverse()) await undo();
  }
}

type List = (options: Listing['options'], account: string, count: number) => Promise<Listed>;

const listElsewhere: List = (options, account) => inChild({options, account, create: 0});
const createAndListElsewhere: List = (options, account, create) => inChild({options, account, create});

/** In a process of its own, because what is measured is the process. */
async function inChild(listing: Listing): Promise<Listed> {
  const child = fork(fileURLToPath(new URL('scale-listing.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx', '--expose-gc'],
  });
  child.send(listing);
  const [listed] = (await once(child, 'message')) as [Listed];
  return listed;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
const table = (head: readonly string[], rows: ReadonlyArray<readonly string[]>): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

function report(results: readonly Measured[]): string {
  return `# Scale

Measured with \`npm run bench:scale\` on ${new Date().toISOString().slice(0, 10)}: Node.js ${process.version}, ${platform()} ${arch()},
${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB of memory, the engines on the same machine. The ratios are what to
read; other work on the machine moves the rest.

## Creating the ${many.toLocaleString('en')}th link

Milliseconds for ${few.toLocaleString('en')} creates, ${atOnce} at once, through the programmatic interface: the first on the engine, then, in turn, into
accounts that are new and into the one that has nearly ${many.toLocaleString('en')} links (medians of ${rounds}). What the length of a list costs is
full : new; full : first is also what an engine takes to write into a table that has grown by ${many.toLocaleString('en')} links.

${table(
  ['engine', 'first thousand', 'into a new account', 'into the full one', 'full : new', 'full : first'],
  results.map(({engine, first, fresh, full}) => [
    engine,
    first.toFixed(0),
    fresh.toFixed(0),
    full.toFixed(0),
    (full / fresh).toFixed(2),
    (full / first).toFixed(2),
  ]),
)}

## Listing

\`list_active_urls\` over HTTP, without a limit, in a new process that is its own client. The peak is the largest that the whole process
ever was (the links themselves included where they live in memory); the heap is what was in use in the middle of the list, right after
a collection, above what was in use before.

${table(
  ['engine', 'links', 'MB sent', 'µs a link', 'heap, MB', 'peak, MB', 'peak : peak of the smaller list'],
  results.flatMap(({engine, small, large}) =>
    [small, large].map((listed) => [
      engine,
      listed.count.toLocaleString('en'),
      megabytes(listed.bytes),
      ((listed.milliseconds / listed.count) * 1000).toFixed(1),
      megabytes(listed.heap),
      megabytes(listed.peak),
      listed === small ? '' : (large.peak / small.peak).toFixed(2),
    ]),
  ),
)}
`;
}

const results: Measured[] = [];
for (const engine of engines.filter(({name}) => names?.includes(name) ?? true)) {
  const missing = await whyMissing(engine);
  if (missing === undefined) results.push(await measure(engine));
  else console.warn(`Left out: ${missing}`);
  console.log(JSON.stringify(results.at(-1)));
}
const folder = fileURLToPath(new URL('results/', import.meta.url));
mkdirSync(folder, {recursive: true});
writeFileSync(`${folder}scale.md`, await format(report(results), {parser: 'markdown'}));
process.exit();
