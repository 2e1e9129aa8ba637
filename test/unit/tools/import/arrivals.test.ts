import '../../../support/quick-scrypt.ts';
import test from 'ava';
import {ShortUrlError} from '../../../../src/errors.ts';
import {type Arrival, Arrivals} from '../../../../src/tools/import/arrivals.ts';
import {Bases} from '../../../../src/link/bases.ts';
import type {Link} from '../../../../src/link/link.ts';
import {type Links, linksOf} from '../../../../src/links/links.ts';
import type {LinkServices} from '../../../../src/links/services.ts';
import {buildServices} from '../../../../src/shortener/services.ts';
import type {SourceLink} from '../../../../src/tables/source-link.ts';
import type {Store, ToolStore} from '../../../../src/store/port.ts';
import {collect} from '../../../support/collect.ts';
import {account, domain, noon, url} from '../../../support/links-world.ts';
import {memoryStore, outage} from '../../../support/store-stub.ts';

const created = Date.UTC(2012, 3, 5, 6, 7, 8);

function servicesOn(store: Store): LinkServices & {readonly store: ToolStore} {
  const bases = new Bases(`https://${domain}`, ['sho.rt']);
  return {
    ...buildServices(store as ToolStore, {bases, secrets: ['a secret'], now: () => noon}),
    accounts: {recheck: (open) => Promise.resolve(open)},
  };
}

const arrivalsOn = (store: Store): Arrivals => new Arrivals(servicesOn(store), 3);
const linksOn = (store: Store): Links => linksOf(servicesOn(store));

async function listed(store: Store): Promise<Link[]> {
  return collect(linksOn(store).list(account));
}

function arriving(shortPart: string, more: Partial<SourceLink> = {}): SourceLink {
  return {line: 1, shortPart, url: `${url}/${shortPart}`, created, fields: {}, ...more};
}

const codesOf = (arrivals: readonly Arrival[]): Array<string | undefined> =>
  arrivals.map(({result}) => (result instanceof ShortUrlError ? result.code : result));

test('imported links keep their dates, visits, labels, states and order', async (t) => {
  const store = memoryStore();
  const lastVisit = Date.UTC(2020, 1, 2, 3, 4, 5);
  const results = await arrivalsOn(store).importBatch(account, [
    arriving('one', {visits: 41, lastVisit, fields: {title: 'One', tags: ['a', 'b']}}),
    arriving('two', {domain: 'sho.rt', end: noon - 1000, visits: 1}),
    arriving('three', {isDisabled: true, visits: 3}),
    arriving('four', {fields: {maxVisits: 5}, visits: 5}),
    arriving('five', {fields: {maxVisits: 5}, visits: 2}),
    arriving('six', {isBlocked: true}),
    arriving('seven', {password: 's3cret'}),
    arriving('eight'),
  ]);
  t.deepEqual(new Set(codesOf(results)), new Set(['imported']));
  const links = await listed(store);
  t.deepEqual(
    links.map(({shortUrl, status, totalVisits}) => [shortUrl, status, totalVisits]),
    [
      ['https://example.com/one', 'active', 41],
      ['https://sho.rt/two', 'expired', 1],
      ['https://example.com/three', 'disabled', 3],
      ['https://example.com/four', 'expired', 5],
      ['https://example.com/five', 'active', 2],
      ['https://example.com/six', 'disabled', 0],
      ['https://example.com/seven', 'active', 0],
      ['https://example.com/eight', 'active', 0],
    ],
  );
  t.like(links[0], {
    urlId: 1,
    dateCreated: '2012-04-05 06:07:08',
    lastAccessed: '2020-02-02 03:04:05',
    title: 'One',
    tags: ['a', 'b'],
  });
  t.is(links[1]?.lastAccessed, null, 'nobody knows when the last visit was');
  const {links: number, totalVisits} = await linksOn(store).accountStats(account);
  t.deepEqual([number, totalVisits], [8, 52]);
  t.is((await linksOn(store).page(account, {search: '/EIGHT'})).links.length, 1);
});

test('a link that cannot be stored is refused with a code', async (t) => {
  const store = memoryStore();
  const links = linksOn(store);
  await links.create({id: 'other', generation: 'other-life'}, {url, customUrl: 'theirs'});
  await links.create(account, {url, customUrl: 'mine'});
  await links.create(account, {url, customUrl: 'gone'});
  await links.remove(account, `https://${domain}/gone`);
  const results = await arrivalsOn(store).importBatch(account, [
    arriving('theirs', {visits: 5}),
    arriving('mine'),
    arriving('gone'),
    arriving('self', {url: 'https://example.com/self'}),
    arriving('long', {password: 'x'.repeat(129)}),
    arriving('twice', {url: 'https://first.example/'}),
    arriving('twice', {url: 'https://second.example/'}),
  ]);
  t.deepEqual(codesOf(results), [
    'custom_url_taken',
    'custom_url_taken',
    'custom_url_taken',
    'forbidden_url',
    'invalid_password',
    'imported',
    'custom_url_taken',
  ]);
  const stored = (await listed(store)).map(({originalUrl}) => originalUrl);
  t.deepEqual(stored, [url, 'https://first.example/']);
  t.like(await links.accountStats(account), {links: 2, totalVisits: 0});
});

/** The store until it is cut off: after so many operations nothing happens, apart from one whose reply may be lost. */
function cutOff(store: Store, operations: number, losesAnswer: boolean): Store {
  let asked = 0;
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...values: unknown[]): Promise<unknown> => {
        const place = (asked += 1);
        if (place > operations + (losesAnswer ? 1 : 0)) throw outage();
        const answer: unknown = await Reflect.apply(member, target, values);
        if (place > operations) throw outage();
        return answer;
      };
    },
  });
}

/** A store for each place at which an import can be interrupted, and a last one for an import that was not. */
async function* interruptedImports(links: readonly SourceLink[]): AsyncGenerator<{store: Store; cut: number}> {
  for (const losesAnswer of [false, true]) {
    let isOver = false;
    for (let cut = 0; !isOver; cut += 1) {
      const store = memoryStore();
      isOver = await arrivalsOn(cutOff(store, cut, losesAnswer))
        .importBatch(account, links)
        .then(
          () => true,
          () => false,
        );
      yield {store, cut};
    }
  }
}

test('an import interrupted before any operation, or after a lost reply, is completed by a repeat', async (t) => {
  const links = [
    arriving('one', {visits: 41}),
    arriving('two', {visits: 7, isDisabled: true}),
    arriving('three'),
    arriving('four', {url: 'https://sho.rt/later', visits: 2}),
    arriving('five', {url: 'https://sho.rt/never', visits: 3, isDisabled: true}),
  ];
  const whole = memoryStore();
  await arrivalsOn(whole).importBatch(account, links);
  const withoutId = (all: readonly Link[]): object[] =>
    all.map((link) => ({...link, urlId: 0})).sort((a, b) => (a.shortUrl < b.shortUrl ? -1 : 1));
  const expected = withoutId(await listed(whole));
  for await (const {store, cut} of interruptedImports(links)) {
    const results = codesOf(await arrivalsOn(store).importBatch(account, links));
    t.true(
      results.every((result) => result === 'imported' || result === 'unchanged'),
      `${cut}: ${results.join()}`,
    );
    t.deepEqual(withoutId(await listed(store)), expected, `cut at ${cut}`);
    // The totals lack at most the last batch of the interrupted import, and never have a visit twice.
    t.true((await linksOn(store).accountStats(account)).totalVisits <= 53, `cut at ${cut}`);
  }
});
