import {describe, didYouMean, grouped} from './describe.ts';
import type {Shape} from './shape.ts';
import {integer} from './shapes.ts';

/**
 * All that is known of an option. Its check, its default, its type with the comment that editors show, and the reference
 * are made from it.
 */
export interface Option<Value = unknown> extends Shape<Value> {
  /** What it is, for people. The bounds follow it. Its links lead to pages in `docs`. */
  readonly sentence: string;
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
  readonly within?: Readonly<Record<string, Shape>>;
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

/**
 * Checks that the options are an object without unknown names, also inherited ones.
 *
 * @param within the name of the option that holds them, if they are not the options themselves
 * @throws TypeError that suggests a known name
 */
export function checkNames(options: unknown, known: readonly string[], within?: string): asserts options is object {
  const what = within === undefined ? 'the options' : `\`${within}\``;
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`Expected ${what} to be an object, got ${describe(options)}`);
  }
  // Options may be inherited. The methods of a class, such as its constructor, are not enumerable.
  for (const name in options) {
    if (known.includes(name)) continue;
    const hint = didYouMean(name, known);
    throw new TypeError(`Expected ${what} to have only ${known.join(', ')}, got \`${name}\`.${hint}`);
  }
}

/**
 * Checks the names and the values of options, also of inherited ones and of the getters of a class. A value that is
 * undefined counts as absent.
 *
 * @param unexpected makes the error of a wrong value
 * @param within the name of the option that holds them, if they are not the options themselves
 * @throws TypeError for an unknown name, or what `unexpected` returns
 */
export function checkOptions(
  options: unknown,
  rules: Readonly<Record<string, Shape>>,
  unexpected = (name: string, expected: string, value: unknown): TypeError =>
    new TypeError(`Expected \`${name}\` to be ${expected}, got ${describe(value)}`),
  within?: string,
): asserts options is object {
  checkNames(options, Object.keys(rules), within);
  for (const [name, {expected, holds}] of Object.entries(rules)) {
    const value = (options as Record<string, unknown>)[name];
    if (value === undefined || holds(value)) continue;
    throw unexpected(within === undefined ? name : `${within}.${name}`, expected, value);
  }
}

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
