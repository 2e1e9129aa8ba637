import '../../support/quick-scrypt.ts';
import test from 'ava';
import * as fc from 'fast-check';
import type {CreateLink, Link} from '../../../src/index.ts';
import type {GivenName} from '../../../src/link/fields.ts';
import {extremes} from '../../support/extremes.ts';
import {importLinks} from '../../../src/tools/import/import-links.ts';
import {importNdjson} from '../../../src/tools/import/import-ndjson.ts';
import {collect} from '../../support/collect.ts';
import {exported, partsOf} from '../../support/tools/text.ts';
import {noon, type Place, runSite, secret} from '../../support/tools/world.ts';

const url = 'https://destination.example/';

const links = fc.record(
  Object.fromEntries(Object.entries(extremes).map(([name, values]) => [name, fc.constantFrom(...values)])) as {
    readonly [Name in GivenName]: fc.Arbitrary<NonNullable<CreateLink[Name]>>;
  },
  {requiredKeys: ['url']},
) as fc.Arbitrary<CreateLink>;

/** Each extreme value by itself. */
const alone = Object.entries(extremes).flatMap(([name, values]) =>
  values.map((value): [CreateLink] => [{url, [name]: value}]),
);

/** Of the answers to visitors. */
const statuses = {scheduled: [404], expired: [410, 302], disabled: [410]};

/** In UTC, as the site has it. `Date` reads a time without an offset in the time zone of the machine. */
function timeOf(date: string | Date): number {
  return typeof date === 'string' && date.includes(' ') ? Date.parse(`${date}Z`) : new Date(date).getTime();
}

/** A link without its number, which a new site gives it. */
function values(link: Link): object {
  return {...link, urlId: undefined};
}

test('what a create takes is stored, read, listed, visited, exported and imported', async (t) => {
  await fc.assert(
    fc.asyncProperty(links, async (given) => {
      const place: Place = {store: new Map()};
      const {shortener} = await runSite(t, place);
      await shortener.accounts.create('ann');
      const start = timeOf(given.startDate ?? new Date(0));
      const end = timeOf(given.expiryDate ?? new Date(8e15));
      fc.pre(start < end);
      const link = await shortener.links.create('ann', given);
      if (start > noon) t.is(link.status, 'scheduled');
      if (given.maxVisits === undefined && start <= noon) t.is(link.status, 'active');

      const text = {ndjson: (await exported(place)).text, csv: (await exported({...place, format: 'csv'})).text};
      const site = await runSite(t, place);
      t.deepEqual(await site.shortener.links.info('ann', link.shortUrl), link);
      t.deepEqual(await collect(site.shortener.links.list('ann')), [link]);
      const {status} = given.password
        ? await site.open(link.shortUrl, given.password)
        : await site.visit(link.shortUrl);
      // A link that asks has a page, and one with a password asks by its form, which was sent.
      const redirects = given.password === undefined && given.confirm === true ? [200] : [302, 303];
      t.true(
        (link.status === 'active' ? redirects : statuses[link.status]).includes(status),
        `${link.status} ${status}`,
      );

      const copied: Place = {store: new Map()};
      await importNdjson({...copied, file: partsOf(text.ndjson)});
      t.deepEqual(await (await runSite(t, copied)).shortener.links.info('ann', link.shortUrl), link);

      // A CSV has no password.
      if (given.password !== undefined) return;
      const listed: Place = {store: new Map()};
      const file = partsOf(text.csv);
      const site3 = {...listed, secret, baseUrl: 'https://example.com', baseDomains: ['sho.rt'], now: () => noon};
      await importLinks({...site3, account: 'ann', createAccount: true, format: 'csv', file});
      const again = await (await runSite(t, listed)).shortener.links.info('ann', link.shortUrl);
      t.deepEqual(values(again), values(link));
    }),
    {examples: alone, numRuns: alone.length + 10},
  );
});
