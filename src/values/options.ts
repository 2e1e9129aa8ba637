import {grouped} from './describe.ts';
import {objectOf, optional, problemIn, problemOfNames} from './objects.ts';
import {integer, type Shape} from './shape.ts';

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
  readonly example?: string;
  readonly isRequired?: true;
  /** The largest number of days, of an option in seconds. */
  readonly maxDays?: number;
}

export type OptionTable<Options> = {
  readonly [Name in keyof Required<Options>]: Option<Exclude<Options[Name], undefined>>;
};

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

/** Options with these entries. They may be inherited, or be getters of a class. */
export function optionsOf<Options>(
  table: Readonly<Record<string, Shape & Pick<Option, 'isRequired'>>>,
): Shape<Options> {
  const members = Object.entries(table).map(([name, option]) => [
    name,
    option.isRequired === true ? option : optional(option),
  ]);
  return objectOf('an object', () => Object.fromEntries(members) as Readonly<Record<string, Shape>>);
}

/**
 * Checks the names and the values of options. A value that is undefined counts as absent.
 *
 * @param name of the option that holds them, if they are not the options themselves
 * @throws TypeError that suggests a known name, or says what was expected, and never repeats a string
 */
export function checkOptions(
  options: unknown,
  table: Parameters<typeof optionsOf>[0],
  name = '',
): asserts options is object {
  refuse(problemIn(options, optionsOf(table), name));
}

/** Checks the names of options only, as `checkOptions` does. */
export function checkNames(options: unknown, known: readonly string[], name = ''): asserts options is object {
  refuse(problemOfNames(options, known, name));
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw new TypeError(problem.replace('expected', 'Expected'));
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
