/** What a spreadsheet that opens and saves an export may do to it. */
import fc from 'fast-check';
import type {ExecutionContext} from 'ava';
import type {CreateLink, Link} from '../../../src/index.ts';
import {importLinks} from '../../../src/tools/import/import-links.ts';
import {collect} from '../collect.ts';
import {exported} from './text.ts';
import {noon, type Place, runSite} from './world.ts';

const slugs = [
  ...['007', '7', '1e5', '100000', '0012.50', '12.5', 'true', 'TRUE', 'WAHR', '2027-12-31', '1-2', 'null', 'none', 'a'],
];
const texts = [
  ...['007', '1e5', '1.5', '1,5', '1/2', '3-4', '12:30', 'TRUE', 'wahr', 'Faux', 'May 2027', '1. Mai', '2024'],
  ...['=1+1', "'007", "''1", "'x", 'a; b', 'NULL', '#NV', '-', 'None', '50 %', '2027-12-31', '\\N', '"Yes" and "no"'],
  ...['12345678901234567890', '+49 30 1234', 'Spring 2027', 'x, y', 'Größe; "süß"', '1 000,50 €', '31.12.2027', '0x1F'],
  ...[
    '1\u{A0}000',
    '３',
    '½',
    '1E-3',
    '$5',
    '(12)',
    '5-',
    '1 1/2',
    '@home',
    'https://a.example/',
    'VERDADERO',
    '12 PM',
  ],
];

const aSlug = fc.oneof(fc.constantFrom(...slugs), fc.stringMatching(/^\d{1,3}[-.e]?\d{1,17}$/));
const aText = fc.oneof(fc.constantFrom(...texts), fc.stringMatching(/^[\d'.,:/e%+-][\d '.,:/e%+-]{0,7}\d$/));
const mayText = fc.option(aText, {nil: undefined});

/** Links with what a spreadsheet may change. */
export function nastyLinks(minLength: number, maxLength: number): fc.Arbitrary<CreateLink[]> {
  return fc.uniqueArray(
    fc.record({
      url: fc.constantFrom('https://a.example/?a=1&b=2', 'https://a.example/1,5;x="ü"', 'https://a.example/=1+1'),
      customUrl: aSlug,
      title: mayText,
      previewTitle: mayText,
      tags: fc.array(fc.constantFrom('1', '2', '007', '1999', 'May 1', 'true', 'mail'), {maxLength: 2}),
      reference: mayText,
      forwardQuery: fc.option(fc.boolean(), {nil: undefined}),
      confirm: fc.option(fc.boolean(), {nil: undefined}),
      expiryDate: fc.constantFrom(undefined, '2031-12-31', '2032-03-04 05:06:07', '9999-12-31'),
      startDate: fc.constantFrom(undefined, '2031-01-02', '2031-03-04 05:06:07'),
      maxVisits: fc.constantFrom(undefined, 1, 1000),
      utm: fc.option(fc.record({source: aText}), {nil: undefined}),
    }),
    {minLength, maxLength, selector: ({customUrl}) => customUrl},
  );
}

/** What an import keeps of a link. */
function keptOf(link: Link): object {
  return {...link, urlId: undefined};
}

/**
 * Expects that links which were exported come back from a spreadsheet as they were, or are refused line by line.
 *
 * @param saved the file after a spreadsheet has opened and saved it
 */
export async function comesBack(
  t: ExecutionContext,
  wanted: readonly CreateLink[],
  timeZone: string,
  saved: (text: string) => Promise<string>,
): Promise<void> {
  const from: Place = {store: new Map()};
  const {shortener} = await runSite(t, from);
  await shortener.accounts.create('ann');
  const taken = new Set<string>();
  for (const {reference, ...link} of wanted) {
    const isFree = reference !== undefined && !taken.has(reference);
    if (isFree) taken.add(reference);
    await shortener.links.create('ann', {...link, ...(isFree && {reference})});
  }
  const {text} = await exported({...from, format: 'csv'});
  const to: Place = {store: new Map()};
  const target = await runSite(t, to);
  await target.shortener.accounts.create('ann');
  const file = await saved(text);
  const {rejected} = await importLinks({
    ...{
      store: to.store,
      account: 'ann',
      baseUrl: 'https://example.com',
      baseDomains: ['sho.rt'],
      now: () => noon,
    },
    ...{
      format: 'csv',
      file: [file],
      timeZone,
      onReport({isImported, code, line}) {
        t.false(isImported, code);
        t.is(code, 'other_short_url', file.split('\n')[line - 1]);
      },
    },
  });
  const before = new Map((await collect(shortener.links.list('ann'))).map((link) => [link.shortUrlPart, keptOf(link)]));
  const after = await collect(target.shortener.links.list('ann'));
  const rowOf = (part: string): string | undefined => file.split('\n').find((line) => line.includes(`.com/${part}`));
  for (const link of after) t.deepEqual(keptOf(link), before.get(link.shortUrlPart), rowOf(link.shortUrlPart));
  t.is(after.length + rejected, before.size);
}
