import {describe, didYouMean, isObject} from './describe.ts';
import {type Shape, shapeOf, type ValueOf} from './shape.ts';

type Members = Readonly<Record<string, Shape>>;

export type ValuesOf<Some extends Members> = {readonly [Name in keyof Some]: ValueOf<Some[Name]>};

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

export function optional<Value>(shape: Shape<Value>): Shape<Value | undefined> {
  return shapeOf({...shape, holds: (value) => value === undefined || shape.holds(value)});
}

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
  return shapeOf({
    expected,
    schema,
    membersOf,
    holds: (value) => {
      if (!isMembers(value)) return false;
      const members = membersOf(value);
      for (const name in members) if (members[name]?.holds(value[name]) !== true) return false;
      return unknownIn(value, members) === undefined;
    },
  });
}

/** A value that shares no list and no object with the given one, which is plain. */
export function ownCopy<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  // A clone of a list takes far longer.
  return Array.isArray(value) ? (value.map(ownCopy) as Value) : structuredClone(value);
}

/**
 * Finds what is wrong with a value: the reason for people, undefined if there is none.
 *
 * @param name of the value, for the reason; empty for the options of a call
 */
export function problemIn(value: unknown, shape: Shape, name: string): string | undefined {
  const {holds, membersOf} = shape;
  if (holds(value)) return undefined;
  if (membersOf === undefined) return unexpected(name, shape, value);
  const members = isMembers(value) ? membersOf(value) : {};
  const problem = problemOfNames(value, Object.keys(members), name);
  if (problem !== undefined) return problem;
  const problems = Object.entries(members).map(([member, each]) =>
    problemIn((value as Readonly<Record<string, unknown>>)[member], each, name === '' ? member : `${name}.${member}`),
  );
  return problems.find((each) => each !== undefined) ?? unexpected(name, shape, value);
}

/** Finds what is wrong with the names of the members of a value, which may be inherited. */
export function problemOfNames(value: unknown, known: readonly string[], name: string): string | undefined {
  if (!isMembers(value)) return unexpected(name, {expected: 'an object'}, value);
  const unknown = unknownIn(value, Object.fromEntries(known.map((each) => [each, true])));
  if (unknown === undefined) return undefined;
  const given = /^\w{1,40}$/.test(unknown) ? `, got \`${unknown}\`` : '';
  const hint = didYouMean(unknown, known);
  return `expected ${called(name)} to have only ${known.join(', ')}${given}${hint && `.${hint}`}`;
}

/** Whether a value is an object and no array. */
export function isMembers(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Array.isArray(value);
}

/** The methods of a class, such as its constructor, are not enumerable. */
function unknownIn(value: object, members: object): string | undefined {
  for (const name in value) if (!Object.hasOwn(members, name)) return name;
  return undefined;
}

function unexpected(name: string, {expected, isSecret}: Pick<Shape, 'expected' | 'isSecret'>, value: unknown): string {
  return `expected ${called(name)} to be ${expected}, got ${describe(value, isSecret)}`;
}

function called(name: string): string {
  return name === '' ? 'the options' : `\`${name}\``;
}
