/** Measures the cost of creating the hundred-thousandth link, and of listing them all: `npm run bench:scale`. */
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
  /** Milliseconds for a thousand creates: the first ones on the engine, then in a new account and in the full one. */
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
    // Let the code be compiled before it is measured.
    await create('warm-up', few);
    const first = await create('full', few);
    await create('full', many - few * (rounds + 1));
    const fresh: number[] = [];
    const full: number[] = [];
    for (const round of range(rounds)) {
      fresh.push(await create(`fresh-${round}`, few));
      full.push(await create('full', few));
    }
    // A process cannot read links that are in the memory of another one.
    const list = engine.isShared ? listInChild : createAndListInChild;
    const small = await list(options, 'fresh-0', few);
    const large = await list(options, 'full', many);
    return {engine: engine.name, first, fresh: median(fresh), full: median(full), small, large};
  } finally {
    for (const undo of undos.reverse()) await undo();
  }
}

type List = (options: Listing['options'], account: string, count: number) => Promise<Listed>;

const listInChild: List = (options, account) => inChild({options, account, create: 0});
const createAndListInChild: List = (options, account, create) => inChild({options, account, create});

/** Measures in a new process, because the result includes the memory of the process. */
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
${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB of memory, the engines on the same machine. Compare
the ratios only, because other work on the machine affects the other figures.

## Creating the ${many.toLocaleString('en')}th link

Milliseconds for ${few.toLocaleString('en')} creates, ${atOnce} at once, through the programmatic interface: the first ones on the engine, then, in turn, in
new accounts and in the account that has nearly ${many.toLocaleString('en')} links (medians of ${rounds}). The ratio full : new is the cost of a
long list. The ratio full : first includes the cost of writing to tables that have ${many.toLocaleString('en')} more links.

${table(
  ['engine', 'first thousand', 'in a new account', 'in the full one', 'full : new', 'full : first'],
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

\`list_active_urls\` over HTTP, without a limit, in a new process that is its own client. The peak is the maximum memory of the process,
including the links if the store is in memory. The heap is the maximum growth of the used heap during the list, measured after garbage
collections.

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
