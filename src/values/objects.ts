import {describe, isObject} from './describe.ts';
import {type Shape, shapeOf, type ValueOf} from './shape.ts';

type Members = Readonly<Record<string, Shape>>;

/** The values of members that have these shapes. */
export type ValuesOf<Some extends Members> = {readonly [Name in keyof Some]: ValueOf<Some[Name]>};

/** The members that may be absent. */
type OptionalOf<Some extends Members> = {
  [Name in keyof Some]: undefined extends ValueOf<Some[Name]> ? Name : never;
}[keyof Some];

type ObjectOf<Some extends Members> = {
  readonly [Name in keyof Some as Exclude<Name, OptionalOf<Some>>]: ValueOf<Some[Name]>;
} & {readonly [Name in keyof Some as Extract<Name, OptionalOf<Some>>]?: ValueOf<Some[Name]>};

/**
 * @param max the maximum number of its items
 * @param min the minimum number of its items
 */
export function listOf<Item>({expected, holds, schema}: Shape<Item>, max = Infinity, min = 0): Shape<readonly Item[]> {
  return shapeOf({
    expected: `an array${max === Infinity ? '' : ` of at most ${max}`}, and each element ${expected}`,
    schema: {
      type: 'array',
      ...(min > 0 && {minItems: min}),
      ...(max !== Infinity && {maxItems: max}),
      items: schema,
    },
    holds: (value) =>
      Array.isArray(value) && value.length >= min && value.length <= max && value.every((item) => holds(item)),
  });
}

/** Of a member that may be absent. */
export function optional<Value>(shape: Shape<Value>): Shape<Value | undefined> {
  return shapeOf({...shape, holds: (value) => value === undefined || shape.holds(value)});
}

/** An object with these members, and no others. */
export function object<const Some extends Members>(members: Some): Shape<ObjectOf<Some>> {
  const schemas = Object.entries(members).map(([name, {schema}]) => [name, schema] as const);
  const required = Object.keys(members).filter((name) => members[name]?.holds(undefined) === false);
  return objectOf(`an object with ${Object.keys(members).join(', ')}`, () => members, {
    type: 'object',
    properties: Object.fromEntries(schemas),
    ...(required.length > 0 && {required}),
    additionalProperties: false,
  });
}

/** An object of one of two shapes. */
export function either<One, Other>(
  isFirst: (value: Readonly<Record<string, unknown>>) => boolean,
  one: Shape<One>,
  other: Shape<Other>,
): Shape<One | Other> {
  const membersOf = (value: object) => (isFirst({...value}) ? one : other).membersOf?.(value) ?? {};
  return objectOf(`${one.expected}, or ${other.expected}`, membersOf);
}

/** The shape of objects whose members may depend on them. */
export function objectOf<Value>(
  expected: string,
  membersOf: (value: object) => Members,
  schema: Shape['schema'] = {type: 'object'},
): Shape<Value> {
  const shape: Shape<Value> = shapeOf({
    expected,
    schema,
    membersOf,
    holds: (value) => problemIn(value, shape, '') === undefined,
  });
  return shape;
}

/**
 * Finds what is wrong with a value: the reason for people, undefined if there is none.
 *
 * @param name of the value, for the reason
 */
export function problemIn(value: unknown, {expected, holds, membersOf}: Shape, name: string): string | undefined {
  if (membersOf === undefined) return holds(value) ? undefined : unexpected(name, expected, value);
  if (!isObject(value) || Array.isArray(value)) return unexpected(name, 'an object', value);
  const members = membersOf(value);
  for (const [member, shape] of Object.entries(members)) {
    if (!shape.holds(value[member])) return unexpected(`${name}.${member}`, shape.expected, value[member]);
  }
  const isKnown = Object.keys(value).every((member) => Object.hasOwn(members, member));
  return isKnown ? undefined : `expected \`${name}\` to have only ${Object.keys(members).join(', ')}`;
}

function unexpected(name: string, expected: string, value: unknown): string {
  return `expected \`${name}\` to be ${expected}, got ${describe(value)}`;
}
