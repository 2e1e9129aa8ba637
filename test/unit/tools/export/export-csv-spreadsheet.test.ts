import '../../../support/quick-scrypt.ts';
import fc from 'fast-check';
import test from 'ava';
import type {CreateLink, Link} from '../../../../src/index.ts';
import {importLinks} from '../../../../src/tools/import/import-links.ts';
import {readRows} from '../../../../src/tools/tables/tables.ts';
import {collect} from '../../../support/collect.ts';
import {exported} from '../../../support/tools/text.ts';
import {noon, type Place, runSite} from '../../../support/tools/world.ts';

interface Locale {
  readonly separator: string;
  readonly decimal: string;
  readonly yesAndNo: readonly [yes: string, no: string];
  readonly date: (year: number, month: number, day: number) => string;
}

const two = (number: number): string => String(number).padStart(2, '0');

const locales: Readonly<Record<string, Locale>> = {
  'en-US': {separator: ',', decimal: '.', yesAndNo: ['TRUE', 'FALSE'], date: (y, m, d) => `${m}/${d}/${y}`},
  'de-DE': {separator: ';', decimal: ',', yesAndNo: ['WAHR', 'FALSCH'], date: (y, m, d) => `${two(d)}.${two(m)}.${y}`},
  'fr-FR': {separator: ';', decimal: ',', yesAndNo: ['VRAI', 'FAUX'], date: (y, m, d) => `${two(d)}/${two(m)}/${y}`},
  'zh-CN': {separator: ',', decimal: '.', yesAndNo: ['TRUE', 'FALSE'], date: (y, m, d) => `${y}/${m}/${d}`},
};

/** What a spreadsheet makes of a cell of CSV, as Excel shows and saves it. */
function saved(cell: string, {decimal, yesAndNo, date}: Locale): string {
  const text = cell.trim();
  if (/^[=+@-]/.test(text)) return '#NAME?';
  if (/^(?:true|wahr|vrai)$/i.test(text)) return yesAndNo[0];
  if (/^(?:false|falsch|faux)$/i.test(text)) return yesAndNo[1];
  const number = Number(text.replace(decimal, '.'));
  if (text !== '' && !text.includes(decimal === ',' ? '.' : ',') && !Number.isNaN(number) && !/^0x/i.test(text)) {
    const shown = String(Number(number.toPrecision(11)));
    return (Math.abs(number) < 1e11 ? shown : number.toExponential(5).toUpperCase()).replace('.', decimal);
  }
  const [, year, month, day, time] = /^(\d{4})-(\d{2})-(\d{2})(?: (\d{2}:\d{2}):\d{2})?$/.exec(text) ?? [];
  if (year !== undefined)
    return `${date(Number(year), Number(month), Number(day))}${time === undefined ? '' : ` ${time}`}`;
  const [, first, second] = /^(\d{1,2})[./-] ?(\d{1,2})\.?$/.exec(text) ?? [];
  if (first !== undefined && Number(first) < 13 && Number(second) < 13)
    return date(2031, Number(first), Number(second));
  if (/^(?:\d{1,2}\.? )?(?:may|mai)(?: \d+)?$/i.test(text) && /\d/.test(text)) return date(2031, 5, 1);
  if (/^\d{1,2}:\d{2}$/.test(text)) return `${text}:00`;
  const [, share] = /^(\d+) ?%$/.exec(text) ?? [];
  return share === undefined ? cell : `${share}%`;
}

/** The file after a spreadsheet has opened and saved it. */
async function throughSpreadsheet(text: string, locale: Locale): Promise<string> {
  async function* parts(): AsyncGenerator<string> {
    yield text.replace('\u{FEFF}', '');
  }
  const rows = await collect(readRows(parts(), ','));
  const write = (cell: string): string => (/["\r\n,;]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return rows.map(({cells}) => cells.map((cell) => write(saved(cell, locale))).join(locale.separator)).join('\r\n');
}

const slugs = [
  '007',
  '7',
  '1e5',
  '100000',
  '0012.50',
  '12.5',
  'true',
  'TRUE',
  'WAHR',
  '2027-12-31',
  '1-2',
  'null',
  'none',
  'a',
];
const texts = [
  ...['007', '1e5', '1.5', '1,5', '1/2', '3-4', '12:30', 'TRUE', 'wahr', 'Faux', 'May 2027', '1. Mai', '2024'],
  ...['=1+1', "'007", "''1", "'x", 'a; b', 'NULL', '#NV', '-', 'None', '50 %', '2027-12-31', '\\N', '"Yes" and "no"'],
  ...['12345678901234567890', '+49 30 1234', 'Spring 2027', 'x, y'],
];

const aText = fc.option(fc.constantFrom(...texts), {nil: undefined});
const links = fc.uniqueArray(
  fc.record({
    customUrl: fc.constantFrom(...slugs),
    title: aText,
    previewTitle: aText,
    tags: fc.array(fc.constantFrom('1', '2', '007', 'May 1', 'true', 'mail'), {maxLength: 2}),
    reference: aText,
    forwardQuery: fc.option(fc.boolean(), {nil: undefined}),
    confirm: fc.option(fc.boolean(), {nil: undefined}),
    expiryDate: fc.constantFrom(undefined, '2031-12-31', '2032-03-04 05:06:07', '9999-12-31'),
    startDate: fc.constantFrom(undefined, '2031-01-02', '2031-03-04 05:06:07'),
    maxVisits: fc.constantFrom(undefined, 1, 1000),
    utm: fc.option(fc.record({source: fc.constantFrom(...texts)}), {nil: undefined}),
  }),
  {minLength: 1, maxLength: 6, selector: ({customUrl}) => customUrl},
);

/** What an import keeps of a link. */
function keptOf(link: Link): object {
  return {...link, urlId: undefined};
}

for (const [name, locale] of Object.entries(locales)) {
  test(`what a spreadsheet opens and saves comes back as it was, or is refused line by line: ${name}`, async (t) => {
    await fc.assert(
      fc.asyncProperty(links, fc.constantFrom('UTC', 'Asia/Tokyo'), async (wanted, timeZone) => {
        const from: Place = {store: new Map()};
        const {shortener} = await runSite(t, from);
        await shortener.accounts.create('ann');
        const taken = new Set<string>();
        for (const {reference, ...link} of wanted) {
          const isFree = reference !== undefined && !taken.has(reference);
          if (isFree) taken.add(reference);
          const create: CreateLink = {url: 'https://a.example/?a=1&b=2', ...link, ...(isFree && {reference})};
          await shortener.links.create('ann', create);
        }
        const {text} = await exported({...from, format: 'csv'});
        const to: Place = {store: new Map()};
        const target = await runSite(t, to);
        await target.shortener.accounts.create('ann');
        const told: Array<string | null> = [];
        const file = await throughSpreadsheet(text, locale);
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
            onReport: ({isImported, shortPart, code}) => {
              t.false(isImported, code);
              t.is(code, 'other_short_url');
              told.push(shortPart);
            },
          },
        });
        const before = new Map(
          (await collect(shortener.links.list('ann'))).map((link) => [link.shortUrlPart, keptOf(link)]),
        );
        const after = await collect(target.shortener.links.list('ann'));
        for (const link of after) t.deepEqual(keptOf(link), before.get(link.shortUrlPart), file);
        t.is(after.length + rejected, before.size);
      }),
      {numRuns: 5},
    );
  });
}
