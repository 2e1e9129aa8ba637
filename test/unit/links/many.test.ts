import {setImmediate} from 'node:timers/promises';
import test from 'ava';
import fc from 'fast-check';
import {ShortUrlError} from '../../../src/errors.ts';
import {shortUrl} from '../../../src/index.ts';
import {Bases} from '../../../src/link/bases.ts';
import type {ShortPartOptions} from '../../../src/link/generated/short-part-options.ts';
import {ShortParts} from '../../../src/link/short-part.ts';
import {runMany} from '../../../src/links/many.ts';
import type {CreateLink, CreateResult, Link} from '../../../src/link/link.ts';
import {collect} from '../../support/collect.ts';
import {range} from '../../support/engines/crowd.ts';
import {account, start, url} from '../../support/links-world.ts';

const bases = new Bases('https://example.com', []);

/** Creates that the test finishes one by one, in any order. */
class Creates {
  readonly started: number[] = [];
  readonly #ends = new Map<number, () => void>();
  /** The numbers of the creates that fail. */
  readonly failing = new Set<number>();

  readonly create = async ({url: number}: CreateLink): Promise<Link> => {
    const urlId = Number(number);
    this.started.push(urlId);
    await new Promise<void>((resolve) => this.#ends.set(urlId, resolve));
    if (this.failing.has(urlId)) throw new ShortUrlError('invalid_url', 'It is refused.');
    return {urlId} as Link;
  };

  async end(...numbers: number[]): Promise<void> {
    for (const number of numbers) this.#ends.get(number)?.();
    await settled();
  }
}

/** Inputs numbered from 0, with a count of how many were read. */
function inputsOf(length: number): {inputs: Iterable<CreateLink>; seen: {read: number; isClosed: boolean}} {
  const seen = {read: 0, isClosed: false};
  function* numbered(): Generator<CreateLink> {
    try {
      while (seen.read < length) yield {url: String(seen.read++)};
    } finally {
      seen.isClosed = true;
    }
  }
  return {inputs: numbered(), seen};
}

/** Lets everything run that does not wait for the end of a create. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
}

const codesOf = (results: readonly CreateResult[]): string[] => results.map(({error}) => error?.code ?? 'created');
const immediately = ({url: number}: CreateLink): Promise<Link> => Promise.resolve({urlId: Number(number)} as Link);

test('fifty creates run at once, and the results come in the order of the inputs', async (t) => {
  const creates = new Creates();
  const {inputs} = inputsOf(60);
  const results: number[] = [];
  const all = (async () => {
    for await (const {link} of runMany({run: creates.create, bases}, inputs)) results.push(link?.urlId ?? NaN);
  })();
  await settled();
  t.deepEqual(creates.started, range(50));
  await creates.end(...range(50).slice(1).reverse());
  t.deepEqual(results, []);
  t.is(creates.started.length, 50);
  await creates.end(0);
  t.deepEqual(results, range(50));
  t.deepEqual(creates.started, range(60));
  await creates.end(...range(60));
  await all;
  t.deepEqual(results, range(60));
});

test('inputs are read at most 51 ahead of the results that are taken', async (t) => {
  const {inputs, seen} = inputsOf(100_000);
  let maxAhead = 0;
  let taken = 0;
  for await (const {link} of runMany({run: immediately, bases}, inputs)) {
    maxAhead = Math.max(maxAhead, seen.read - taken);
    t.is(link?.urlId, taken++);
    if (taken % 10_000 !== 0) continue;
    const {read} = seen;
    await settled();
    t.is(seen.read, read);
  }
  t.is(taken, 100_000);
  t.true(maxAhead <= 51, `${maxAhead} inputs were read ahead`);
});

test('a consumer that stops early waits for the creates under way and starts no more', async (t) => {
  const creates = new Creates();
  const {inputs, seen} = inputsOf(100);
  creates.failing.add(7);
  let isOver = false;
  const stopped = (async () => {
    for await (const {link} of runMany({run: creates.create, bases}, inputs)) {
      if (link?.urlId === 2) break;
    }
    isOver = true;
  })();
  await settled();
  await creates.end(0, 1, 2);
  t.false(isOver);
  const {length} = creates.started;
  t.true(length <= 52);
  await creates.end(...range(length));
  await stopped;
  t.is(creates.started.length, length);
  t.true(seen.isClosed);
});

test('an input that is no link, or cannot be read, does not affect the others', async (t) => {
  const {links} = start();
  const broken = {
    get url(): string {
      throw new Error('broken');
    },
  };
  const inputs = [{url}, undefined, 'https://destination.example/', broken, {url, nonsense: 'x'}, {url}] as never;
  const codes = ['missing_parameter', 'missing_parameter', 'internal_error', 'unknown_parameter'];
  t.deepEqual(codesOf(await collect(links.createMany(account, inputs))), ['created', ...codes, 'created']);
});

/** Ways to write three short parts, and what a site allows of them. */
const spellings: ReadonlyArray<readonly [spelled: readonly string[], options: ShortPartOptions]> = [
  [['a', 'b', 'c'], {}],
  [['a', 'A', 'b', 'B', 'c'], {ignoreCase: true}],
  [['\u00FC', 'u\u0308', 'fi', '\uFB01', 'c'], {unicode: true, segments: 2}],
];

for (const [spelled, options] of spellings) {
  const written = JSON.stringify(options);
  test(`a batch has the same results as its creates one after the other, whatever order the store answers in: ${written}`, async (t) => {
    const site = new Bases('https://example.com', ['sho.rt'], new ShortParts(options));
    const slug = fc.constantFrom(...spelled);
    const input = fc.record(
      {
        url: fc.oneof(
          fc.constant(url),
          slug.map((name) => `https://example.com/${name}`),
        ),
        customUrl: slug,
        baseDomain: fc.constantFrom('example.com', 'sho.rt'),
      },
      {requiredKeys: ['url']},
    );
    const pauses = fc.array(fc.nat(3), {minLength: 1, maxLength: 40});
    await fc.assert(
      fc.asyncProperty(fc.array(input, {maxLength: 12}), pauses, async (inputs, turns) => {
        const [calm, world] = [start({bases: site}), start({bases: site})];
        const expected: string[] = [];
        for (const each of inputs) {
          expected.push(
            await calm.links.create(account, each).then(
              () => 'created',
              (error: unknown) => (error as ShortUrlError).code,
            ),
          );
        }
        let asked = 0;
        world.before = async () => {
          for (let turn = turns[asked++ % turns.length] ?? 0; turn > 0; turn -= 1) await setImmediate();
        };
        t.deepEqual(codesOf(await collect(world.links.createMany(account, inputs))), expected);
      }),
      {numRuns: 30},
    );
  });
}

test('changes of many links are made, those of the same link in order', async (t) => {
  const {links} = start();
  const [one, two] = [await links.create(account, {url}), await links.create(account, {url})];
  const changes = range(120).map((number) => ({
    shortUrl: number % 2 === 0 ? one.shortUrl : two.shortUrl,
    changes: {title: String(number)},
  }));
  const results = await collect(links.updateMany(account, changes));
  const titles = results.map(({link}) => (link as Link).title);
  t.deepEqual(titles, range(120).map(String));
  t.is((await links.info(account, one.shortUrl)).title, '118');
  t.is((await links.info(account, two.shortUrl)).title, '119');
  const {shortUrl: other} = one;
  const beside = {shortUrl: other, changes: {title: 'x'}, status: 'disabled'};
  const wrong = [{shortUrl: other, changes: {colour: 'red'}}, beside, {shortUrl: other}, undefined] as never;
  const codes = (await collect(links.updateMany(account, wrong))).map(({error}) => error?.code);
  t.deepEqual(codes, ['unknown_parameter', 'unknown_parameter', 'missing_parameter', 'missing_parameter']);
});

test('tags are counted over all links, the most used first, without regard to case', async (t) => {
  const shortener = shortUrl({baseUrl: 'https://example.com', store: 'memory:'});
  await shortener.accounts.create('user-42');
  await shortener.accounts.create('other');
  const {links} = shortener;
  t.deepEqual(await links.tags('user-42'), []);
  const tags = [['mail', 'b'], ['Mail', 'mail', 'a'], ['mail'], [], ['b', 'ü'], ['a']];
  const made = await collect(
    links.createMany(
      'user-42',
      tags.map((each) => ({url, tags: each})),
    ),
  );
  await links.create('other', {url, tags: ['foreign']});
  await links.disable('user-42', made[0]?.link?.shortUrl ?? '');
  t.deepEqual(await links.tags('user-42'), [
    {tag: 'mail', links: 3},
    {tag: 'a', links: 2},
    {tag: 'b', links: 2},
    {tag: 'ü', links: 1},
  ]);
  await links.remove('user-42', made[2]?.link?.shortUrl ?? '');
  await links.update('user-42', made[0]?.link?.shortUrl ?? '', {tags: null});
  t.deepEqual((await links.tags('user-42'))[0], {tag: 'a', links: 2});
  await t.throwsAsync(links.tags('nobody'), {code: 'invalid_api_key'});
  await shortener.close();
});
