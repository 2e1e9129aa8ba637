import type {ExecutionContext} from 'ava';
import {type Stage, textOf} from '../dashboard.ts';
import {accounts, type LivedYear} from './live.ts';
import {type Days, type Line, salesOf, type Sums, sumsOf} from './book.ts';

const digits: Readonly<Record<string, number>> = {EUR: 2, USD: 2, JPY: 0, KWD: 3};

/** A file as its rows, each by the headings. No cell has a line break. */
function rowsOf(text: string): Array<Record<string, string>> {
  const [header = [], ...rows] = text
    .replace('\uFEFF', '')
    .trimEnd()
    .split('\r\n')
    .map((line) =>
      Array.from(line.matchAll(/(?:^|,)(?:"([^"]*)"|([^,]*))/g), ([, quoted, bare]) => quoted ?? bare ?? ''),
    );
  return rows.map((cells) => Object.fromEntries(header.map((name, index) => [name, cells[index] ?? ''])));
}

function decimal(value: number, currency: string | null): string {
  const places = digits[currency ?? ''] ?? 0;
  return (value / 10 ** places).toFixed(places);
}

/** The cells of a row that the book expects. */
function cellsOf({visits, conversions, values}: Sums): Record<string, string> {
  const amounts = values.flatMap(({currency, recordedBy, value, refunded}) => {
    const name = ['Value', currency, recordedBy === 'account' && '(API)'].filter(Boolean).join(' ');
    return [
      [name, decimal(value - refunded, currency)],
      [`${name} before refunds`, decimal(value, currency)],
    ];
  });
  return {Visits: String(visits), Conversions: String(conversions), ...(Object.fromEntries(amounts) as object)};
}

/** The cells of a row with figures, without amounts of nothing. */
function figuresIn(row: Readonly<Record<string, string>>): Record<string, string> {
  const isFigure = /^(?:Visits$|Conversions$|Value)/;
  const cells = Object.entries(row).filter(([name]) => isFigure.test(name));
  const isNothing = (name: string): boolean => {
    const whole = name.replace(' before refunds', '');
    return name.startsWith('Value') && [whole, `${whole} before refunds`].every((each) => Number(row[each]) === 0);
  };
  return Object.fromEntries(cells.filter(([name]) => !isNothing(name)));
}

/** Expects that the files of the dashboard have the figures of the book. */
export async function filesAgree(t: ExecutionContext, {visitor}: Stage, lived: LivedYear, days: Days): Promise<void> {
  const {book, links} = lived;
  const query = `from=${days.from}&until=${days.until}`;
  for (const account of accounts) {
    const read = async (file: string) => rowsOf((await visitor(account).get(`${file}${query}`)).text);
    const all = book.lines(days, ({link}) => link.account === account);
    const listed = all.filter(({link}) => !link.isRemoved);
    const about = `${account} ${query}`;
    for (const row of await read('visits.csv?')) {
      const lines = all.filter(({day}) => day === row['Day (Europe/Berlin)']);
      t.deepEqual(figuresIn(row), figuresIn(cellsOf(sumsOf(lines))), `${about} ${row['Day (Europe/Berlin)']}`);
    }
    const conversions = (await read('conversions.csv?')).map((row) => Object.values(row).join());
    const sales = salesOf(all).map(({name, currency, recordedBy, conversions: number, value, refunds, refunded}) =>
      [
        recordedBy === 'site' ? name : `${name} (API)`,
        number,
        currency ?? '',
        decimal(value - refunded, currency),
        decimal(value, currency),
        refunds,
      ].join(),
    );
    t.deepEqual(conversions.toSorted(), sales.toSorted(), about);
    const rows = await read('links.csv?');
    const own = links.filter((link) => link.account === account && !link.isRemoved);
    t.is(rows.length, own.length);
    for (const row of rows) {
      const lines = listed.filter(({link}) => link.shortUrl === row['Short URL']);
      t.deepEqual(figuresIn(row), figuresIn(cellsOf(sumsOf(lines))), `${about} ${row['Short URL']}`);
    }
    for (const row of await read('links.csv?by=tag&name=order&')) {
      const lines = listed.filter(({link}) => link.tags.includes(row['Tags'] ?? ''));
      t.deepEqual(figuresIn(row), figuresIn(cellsOf(sumsOf(lines, 'order'))), `${about} ${row['Tags']}`);
    }
  }
  const ofSite = book.lines(days, ({sale}) => sale?.recordedBy !== 'account');
  for (const row of rowsOf((await visitor('operator').get(`accounts.csv?${query}`)).text)) {
    const lines = ofSite.filter(({link}) => link.account === row['Account']);
    t.deepEqual(figuresIn(row), figuresIn(cellsOf(sumsOf(lines))), `${row['Account']} ${query}`);
  }
}

/** Expects that a page for reading has the figures of the book. */
export async function sharedAgrees(t: ExecutionContext, stage: Stage, lived: LivedYear, days: Days): Promise<void> {
  const show = ['visits', 'conversions', 'amounts'] as const;
  const tag = 'mail';
  for (const account of accounts) {
    // The address of the page has the path at which the dashboard was asked for.
    await stage.visitor(account).get();
    const {url} = await stage.shortener.links.share(account, {tag}, {show});
    const shown = await shownOf(url, days);
    const isOfTag = ({link}: Line): boolean => link.account === account && !link.isRemoved && link.tags.includes(tag);
    const lines = lived.book.lines(days, isOfTag);
    const {visits, conversions, values} = sumsOf(lines);
    t.true(shown.includes(`Visits ${visits.toLocaleString('en')} `), shown);
    t.true(shown.includes(`Conversions ${conversions.toLocaleString('en')} `), shown);
    for (const {currency, recordedBy, value, refunded} of values) {
      const name = recordedBy === 'site' ? 'Value' : 'Value (API)';
      t.true(
        shown.includes(`${name} ${money(value - refunded, currency)} `),
        `${name} ${money(value - refunded, currency)}: ${shown}`,
      );
    }
  }
}

async function shownOf(url: string, {from, until}: Days): Promise<string> {
  const answer = await fetch(`${url}?from=${from}&until=${until}`, {headers: {'Accept-Language': 'en'}});
  return textOf(await answer.text()).replaceAll(/\s/g, ' ');
}

function money(value: number, currency: string | null): string {
  if (currency === null) return value.toLocaleString('en');
  const places = digits[currency] ?? 2;
  const format = new Intl.NumberFormat('en', {style: 'currency', currency, minimumFractionDigits: places});
  return format.format(value / 10 ** places).replaceAll(/\s/g, ' ');
}
