import '../../../support/quick-scrypt.ts';
import fc from 'fast-check';
import test from 'ava';
import {readRows} from '../../../../src/tables/tables.ts';
import {collect} from '../../../support/collect.ts';
import {comesBack, nastyLinks} from '../../../support/tools/spreadsheet.ts';

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

for (const [name, locale] of Object.entries(locales)) {
  test(`what a spreadsheet opens and saves comes back as it was, or is refused line by line: ${name}`, async (t) => {
    await fc.assert(
      fc.asyncProperty(nastyLinks(1, 6), fc.constantFrom('UTC', 'Asia/Tokyo'), async (links, timeZone) => {
        await comesBack(t, links, timeZone, async (text) => throughSpreadsheet(text, locale));
      }),
      {numRuns: 5},
    );
  });
}
