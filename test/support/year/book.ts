import type {ConversionStats, ConversionValue} from '../../../src/index.ts';

/** A link in the book, with what it is grouped by at the end of the year. */
export interface BookedLink {
  readonly account: string;
  readonly shortUrl: string;
  tags: readonly string[];
  readonly utm: {readonly source: string; readonly medium: string; readonly campaign: string};
  isRemoved: boolean;
}

/** A line of the book. */
export interface Line {
  /** `yyyy-mm-dd`, of the site. */
  readonly day: string;
  readonly link: BookedLink;
  readonly variant: string;
  /** What it was; undefined for a visit. */
  readonly sale?: {
    readonly name: string;
    readonly currency: string | null;
    readonly recordedBy: 'site' | 'account';
    readonly value: number;
    readonly isRefund: boolean;
  };
}

export interface Days {
  readonly from: string;
  readonly until: string;
}

/** What some lines add up to. */
export interface Sums {
  readonly visits: number;
  /** Those that the site has recorded. */
  readonly conversions: number;
  readonly values: readonly ConversionValue[];
}

/** A book that is kept apart from the site: one line for each visit, conversion and refund. */
export class Book {
  readonly #lines: Line[] = [];

  add(line: Line): void {
    this.#lines.push(line);
  }

  lines({from, until}: Days, isWanted: (line: Line) => boolean = () => true): Line[] {
    return this.#lines.filter((line) => line.day >= from && line.day <= until && isWanted(line));
  }
}

export function sumsOf(lines: readonly Line[], name?: string): Sums {
  const sales = lines.filter(({sale}) => sale !== undefined && (name === undefined || sale.name === name));
  const values = salesOf(sales).map(({currency, recordedBy, value, refunded}) => ({
    ...{currency, recordedBy, value, refunded},
  }));
  return {
    visits: lines.filter(({sale}) => sale === undefined).length,
    conversions: sales.filter(({sale}) => sale?.recordedBy === 'site' && !sale.isRefund).length,
    values: inOrder(values),
  };
}

/** The entries of statistics for these lines. */
export function salesOf(lines: readonly Line[]): ConversionStats[] {
  const found = new Map<string, ConversionStats>();
  for (const {sale} of lines) {
    if (sale === undefined) continue;
    const {name, currency, recordedBy, value, isRefund} = sale;
    const key = [name, currency, recordedBy].join(' ');
    const before = found.get(key) ?? {
      ...{name, currency, recordedBy},
      ...{conversions: 0, value: 0, refunds: 0, refunded: 0},
    };
    const more = isRefund
      ? {refunds: before.refunds + 1, refunded: before.refunded + value}
      : {conversions: before.conversions + 1, value: before.value + value};
    found.set(key, {...before, ...more});
  }
  return byName(Array.from(found.values()));
}

export function byName(entries: readonly ConversionStats[]): ConversionStats[] {
  const key = ({name, currency, recordedBy}: ConversionStats): string => [name, currency, recordedBy].join(' ');
  return entries
    .filter(({conversions, refunds}) => conversions > 0 || refunds > 0)
    .toSorted((one, other) => key(one).localeCompare(key(other)));
}

/** Amounts, one for each currency and recorder, in one order. */
export function inOrder(values: readonly ConversionValue[]): ConversionValue[] {
  const sums = new Map<string, ConversionValue>();
  for (const {currency, recordedBy, value, refunded} of values) {
    const key = [currency, recordedBy].join(' ');
    const sum = sums.get(key) ?? {currency, recordedBy, value: 0, refunded: 0};
    sums.set(key, {...sum, value: sum.value + value, refunded: sum.refunded + refunded});
  }
  return Array.from(sums)
    .filter(([, {value, refunded}]) => value > 0 || refunded > 0)
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([, sum]) => sum);
}

const hour = 3_600_000;

/** The day of a moment in Berlin, by the rule of the European Union for summer time. */
export function dayInBerlin(at: number): string {
  const year = new Date(at).getUTCFullYear();
  const change = (month: number): number => {
    const end = new Date(Date.UTC(year, month + 1, 0, 1));
    return end.getTime() - end.getUTCDay() * 24 * hour;
  };
  const isSummer = at >= change(2) && at < change(9);
  return new Date(at + (isSummer ? 2 : 1) * hour).toISOString().slice(0, 10);
}
