import {aBoolean, aFunction, enumerated, grouped, isInteger, type Rule} from './describe.ts';
import {aText} from './forms.ts';

/**
 * All that is known of an option. Its check, its default, its type with the comment that editors show, and the reference
 * are made from it.
 */
export interface Option<Value = unknown> extends Rule {
  /** Its TypeScript. */
  readonly type: string;
  /** What it is, for people. The bounds follow it. Its links lead to pages in `docs`. */
  readonly sentence: string;
  /** The bounds for people, such as `1 to 64`. */
  readonly bounds?: string;
  readonly default?: Value;
  /** The default as code, if its value does not tell it. */
  readonly defaultCode?: string;
  /** What a reader may not see in the default. */
  readonly defaultNote?: string;
  /** Lines of code. */
  readonly example?: string;
  readonly isRequired?: true;
  /** The largest number of days, of an option in seconds. */
  readonly maxDays?: number;
  /** What its own properties may be. */
  readonly within?: Readonly<Record<string, Rule>>;
}

/** All that is known of options. */
export type OptionTable<Options> = {
  readonly [Name in keyof Required<Options>]: Option<Exclude<Options[Name], undefined>>;
};

/** Options with their defaults. */
type Filled<Options, Table> = {
  readonly [Name in keyof Required<Options>]: Name extends keyof Table
    ? Table[Name] extends {readonly default: unknown}
      ? Exclude<Options[Name], undefined>
      : Options[Name]
    : never;
};

/** The checked options, with the defaults of those that are not set. They may be inherited, or be getters. */
export function withDefaults<Options extends object, Table extends OptionTable<Options>>(
  options: Options,
  table: Table,
): Filled<Options, Table> {
  const given = options as Readonly<Record<string, unknown>>;
  const filled = Object.entries<Option>(table).map(([name, option]) => [name, given[name] ?? option.default]);
  return Object.fromEntries(filled) as Filled<Options, Table>;
}

export const flag = {...aBoolean, type: 'boolean'} as const;
export const text = {...aText, type: 'string'} as const;

/** @param type its TypeScript */
export function callback(type: string) {
  return {...aFunction, type} as const;
}

/** @param unit what is counted, such as `milliseconds` */
export function integer(min: number, max: number, unit = '') {
  return {
    type: 'number',
    expected: `an integer from ${min} to ${max}`,
    bounds: `${grouped(min)} to ${grouped(max)}${unit && ` ${unit}`}`,
    holds: (value: unknown) => isInteger(value, min, max),
  } as const;
}

export const positive = {
  type: 'number',
  expected: 'an integer of at least 1',
  bounds: '1 or more',
  holds: (value: unknown) => isInteger(value, 1, Number.MAX_SAFE_INTEGER),
} as const;

/** A time in seconds, whose bound and default are days. */
export function days(max: number, usual: number) {
  const inDay = 24 * 60 * 60;
  const seconds = integer(1, max * inDay, 'seconds');
  return {
    ...seconds,
    bounds: `${seconds.bounds} (${grouped(max)} days)`,
    maxDays: max,
    default: usual * inDay,
    defaultNote: `${grouped(usual)} days`,
  } as const;
}

/** One of some strings or numbers. */
export function choice(...values: ReadonlyArray<string | number>) {
  const names = values.map((value) => (typeof value === 'string' ? `\`${value}\`` : String(value)));
  const shown = enumerated(names, 'or');
  return {
    type: values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join(' | '),
    expected: shown,
    bounds: shown,
    holds: (value: unknown) => values.some((each) => each === value),
  } as const;
}

/**
 * A word of some characters.
 *
 * @param characters as people read them, such as `A-Z a-z 0-9 - _`
 * @param pattern matches one of them
 */
export function word(max: number, characters: string, pattern: string) {
  const all = new RegExp(`^${pattern}{1,${max}}$`);
  return {
    type: 'string',
    expected: `a string of 1 to ${max} of ${characters}`,
    bounds: `1 to ${max} of \`${characters}\``,
    holds: (value: unknown) => typeof value === 'string' && all.test(value),
  } as const;
}
