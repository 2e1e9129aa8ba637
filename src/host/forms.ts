import {describe, isInteger, isObject, type Rule} from './describe.ts';

/** What a stored value looks like, and its type. */
export interface Form<Value> extends Rule {
  readonly holds: (value: unknown) => value is Value;
  /** What the members of an object must be. It has no others. */
  readonly membersOf?: (value: object) => Readonly<Record<string, Rule>>;
}

/** The type of the values of a form. */
export type ValueOf<One> = One extends Form<infer Value> ? Value : never;

type Members = Readonly<Record<string, Form<unknown>>>;

/** The members that may be absent. */
type OptionalOf<Some extends Members> = {
  [Name in keyof Some]: undefined extends ValueOf<Some[Name]> ? Name : never;
}[keyof Some];

type ObjectOf<Some extends Members> = {
  readonly [Name in keyof Some as Exclude<Name, OptionalOf<Some>>]: ValueOf<Some[Name]>;
} & {readonly [Name in keyof Some as Extract<Name, OptionalOf<Some>>]?: ValueOf<Some[Name]>};

export const aText: Form<string> = {
  expected: 'a string that is not empty',
  holds: (value): value is string => typeof value === 'string' && value !== '',
};

export const aString: Form<string> = {expected: 'a string', holds: (value) => typeof value === 'string'};

export const aCount: Form<number> = {
  expected: 'an integer that is not negative',
  holds: (value) => isInteger(value, 0, Number.MAX_SAFE_INTEGER),
};

/** The moments that `yyyy-mm-dd hh:mm:ss` can express, and a day at each end for time zones. */
export const aTime: Form<number> = {
  expected: 'a time in milliseconds since the epoch',
  holds: (value) => isInteger(value, Date.UTC(0, 0, 2), Date.UTC(9999, 11, 31)),
};

export const aTrue: Form<true> = {expected: 'true', holds: (value) => value === true};

export const aCurrency: Form<string> = {
  expected: 'three capital letters, such as EUR',
  holds: (value): value is string => typeof value === 'string' && /^[A-Z]{3}$/.test(value),
};

export function oneOf<const Value>(...values: readonly Value[]): Form<Value> {
  return {
    expected: `one of ${values.map(String).join(', ')}`,
    holds: (value): value is Value => values.some((each) => each === value),
  };
}

/** @param max the maximum number of its items */
export function listOf<Item>({expected, holds}: Form<Item>, max = Infinity): Form<readonly Item[]> {
  return {
    expected: `an array${max === Infinity ? '' : ` of at most ${max}`}, and each element ${expected}`,
    holds: (value): value is readonly Item[] =>
      Array.isArray(value) && value.length <= max && value.every((item) => holds(item)),
  };
}

/** Of a member that may be absent. */
export function optional<Value>({expected, holds}: Form<Value>): Form<Value | undefined> {
  return {expected, holds: (value) => value === undefined || holds(value)};
}

export function anObject<const Some extends Members>(members: Some): Form<ObjectOf<Some>> {
  return formOf(`an object with ${Object.keys(members).join(', ')}`, () => members);
}

/** An object of one of two forms. */
export function either<One, Other>(
  isFirst: (value: Readonly<Record<string, unknown>>) => boolean,
  one: Form<One>,
  other: Form<Other>,
): Form<One | Other> {
  const membersOf = (value: object) => (isFirst({...value}) ? one : other).membersOf?.(value) ?? {};
  return formOf(`${one.expected}, or ${other.expected}`, membersOf);
}

/** The form of objects with these members. */
export function formOf<Value>(
  expected: string,
  membersOf: (value: object) => Readonly<Record<string, Rule>>,
): Form<Value> {
  const form: Form<Value> = {
    expected,
    membersOf,
    holds: (value): value is Value => problemIn(value, form, '') === undefined,
  };
  return form;
}

/**
 * Finds what is wrong with a value: the reason for people, undefined if there is none.
 *
 * @param name of the value, for the reason
 */
export function problemIn(
  value: unknown,
  {expected, holds, membersOf}: Form<unknown>,
  name: string,
): string | undefined {
  if (membersOf === undefined) return holds(value) ? undefined : unexpected(name, expected, value);
  if (!isObject(value) || Array.isArray(value)) return unexpected(name, 'an object', value);
  const members = membersOf(value);
  for (const [member, rule] of Object.entries(members)) {
    if (!rule.holds(value[member])) return unexpected(`${name}.${member}`, rule.expected, value[member]);
  }
  const isKnown = Object.keys(value).every((member) => Object.hasOwn(members, member));
  return isKnown ? undefined : `expected \`${name}\` to have only ${Object.keys(members).join(', ')}`;
}

function unexpected(name: string, expected: string, value: unknown): string {
  return `expected \`${name}\` to be ${expected}, got ${describe(value)}`;
}
