import {isLabel, isWithin} from './characters.ts';
import {enumerated, grouped, isInteger} from './describe.ts';

export type SchemaType = 'string' | 'integer' | 'boolean' | 'array' | 'object';

/** The part of JSON Schema that describes values. */
export interface Schema {
  readonly type?: SchemaType | readonly [SchemaType, 'null'];
  readonly title?: string;
  readonly description?: string;
  readonly const?: string;
  readonly enum?: ReadonlyArray<string | number>;
  readonly default?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly additionalProperties?: false;
}

/** The schema of a value that is not null. */
export type ValueSchema = Omit<Schema, 'type'> & {readonly type?: SchemaType};

/**
 * What values look like: in options, calls, forms, files, records and answers. Their TypeScript, checks, readers and
 * messages, the inputs of forms and the descriptions of the API are made from it.
 */
export interface Shape<Value = unknown> {
  /** What a value must be, for messages, such as `an integer from 1 to 64`. */
  readonly expected: string;
  readonly holds: (value: unknown) => value is Value;
  /** The bounds for people, such as `1 to 64`; empty if there are none to tell. */
  readonly bounds: string;
  /** Empty for what JSON cannot have, such as a function. */
  readonly schema: ValueSchema;
  /** Whether no message may have even a number of it. */
  readonly isSecret?: true;
  /** Whether a path of the API has it in base64. */
  readonly isEncoded?: true;
  /** Brings a value into the form in which it is checked and used. Anything may be given. */
  readonly normalize?: (value: unknown) => unknown;
  /** What the members of an object must be. It has no others. */
  readonly membersOf?: (value: object) => Readonly<Record<string, Shape>>;
}

export type ValueOf<One> = One extends {readonly holds: (value: unknown) => value is infer Value} ? Value : never;

export function shapeOf<Value>(
  given: Partial<Omit<Shape, 'holds'>> & {readonly expected: string; readonly holds: (value: unknown) => boolean},
): Shape<Value> {
  return {bounds: '', schema: {}, ...given} as Shape<Value>;
}

export const text = shapeOf<string>({
  expected: 'a string that is not empty',
  schema: {type: 'string', minLength: 1},
  holds: (value) => typeof value === 'string' && value !== '',
});

export const anyText = shapeOf<string>({
  expected: 'a string',
  schema: {type: 'string'},
  holds: (value) => typeof value === 'string',
});

/** A text that is not empty and has a maximum length, in characters, that is code points. */
export function textUpTo(max: number, bounds = `at most ${grouped(max)} characters`): Shape<string> {
  return shapeOf({
    expected: bounds,
    bounds,
    schema: {...text.schema, maxLength: max},
    holds: (value) => text.holds(value) && isWithin(value, max),
  });
}

/** A name or a sentence in one line. The maximum is in characters, that is code points. */
export function line(max: number): Shape<string> & {readonly max: number} {
  const bounds = `1 to ${grouped(max)} characters`;
  return {
    max,
    ...shapeOf<string>({
      expected: `${bounds} without control characters, and without white space at the ends`,
      bounds,
      schema: {...text.schema, maxLength: max},
      holds: (value) => typeof value === 'string' && isLabel(value, max),
    }),
  };
}

/** @param pattern of JSON Schema */
export function patterned(
  pattern: string,
  {expected = 'a string of this form', format}: {readonly expected?: string; readonly format?: string} = {},
): Shape<string> {
  const all = new RegExp(pattern, 'u');
  return shapeOf({
    expected,
    schema: {type: 'string', pattern, ...(format !== undefined && {format})},
    holds: (value) => typeof value === 'string' && all.test(value),
  });
}

/**
 * A word of some characters.
 *
 * @param characters as people read them, such as `A-Z a-z 0-9 - _`
 * @param one matches one of them
 */
export function word(max: number, characters: string, one: string): Shape<string> {
  const expected = `a string of 1 to ${max} of ${characters}`;
  return {...patterned(`^${one}{1,${max}}$`, {expected}), bounds: `1 to ${max} of \`${characters}\``};
}

export const currencyCode = patterned('^[A-Z]{3}$', {expected: 'three capital letters, such as EUR'});

export const day = patterned(String.raw`^\d{4}-\d{2}-\d{2}$`);

const isoMoment = String.raw`^\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}(:?\d{2})?)?)?$`;

/** A day or a moment, which its reader understands. */
export const moment = shapeOf<string | Date>({
  expected: text.expected,
  schema: {type: 'string', pattern: isoMoment},
  bounds:
    'written `yyyy-mm-dd`, `yyyy-mm-dd hh:mm` or `yyyy-mm-dd hh:mm:ss` in the time zone of the site, or in ISO 8601 with an offset',
  holds: (value) => text.holds(value) || value instanceof Date,
});

/** A moment as the API writes it. */
export const utc = patterned(String.raw`^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$`);

const beginOfTime = Date.parse('0000-01-01T00:00:00Z');
const endOfTime = Date.UTC(10_000, 0);

/** The moments that `yyyy-mm-dd hh:mm:ss` can express, and the end of the last one. */
export const time = shapeOf<number>({
  expected: 'a time in milliseconds since the epoch',
  schema: {type: 'integer'},
  holds: (value) => isInteger(value, beginOfTime, endOfTime),
});

/** @param unit what is counted, such as `milliseconds` */
export function integer(min: number, max: number, unit = ''): Shape<number> & {readonly max: number} {
  return {
    max,
    ...shapeOf<number>({
      expected: `an integer from ${min} to ${max}`,
      bounds: `${grouped(min)} to ${grouped(max)}${unit && ` ${unit}`}`,
      schema: {type: 'integer', minimum: min, maximum: max},
      holds: (value) => isInteger(value, min, max),
    }),
  };
}

export const count = shapeOf<number>({
  expected: 'an integer that is not negative',
  schema: {type: 'integer', minimum: 0},
  holds: (value) => isInteger(value, 0, Number.MAX_SAFE_INTEGER),
});

export const positive = shapeOf<number>({
  expected: 'an integer of at least 1',
  schema: {type: 'integer', minimum: 1},
  holds: (value) => isInteger(value, 1, Number.MAX_SAFE_INTEGER),
});

export const flag = shapeOf<boolean>({
  expected: 'true or false',
  schema: {type: 'boolean'},
  holds: (value) => typeof value === 'boolean',
});

export function choice<const Value extends string | number | boolean>(values: readonly Value[]): Shape<Value> {
  const names = values.map((value) => (typeof value === 'string' ? `\`${value}\`` : String(value)));
  const shown = enumerated(names, 'or');
  const [first] = values;
  const type = typeof first === 'string' ? 'string' : typeof first === 'number' ? 'integer' : 'boolean';
  const some = values.filter((value): value is Value & (string | number) => typeof value !== 'boolean');
  return shapeOf({
    expected: shown,
    bounds: shown,
    schema: {type, ...(some.length > 0 && {enum: some})},
    holds: (value) => values.some((each) => each === value),
  });
}

/** Of what is absent where it is not true. */
export const onlyTrue = choice([true]);

export function callback<Signature>(): Shape<Signature> {
  return shapeOf({expected: 'a function', holds: (value) => typeof value === 'function'});
}

/** A list of lines, each once, of which none has a comma. */
export function labels(max: number, maxItem: number): Shape<readonly string[]> & Record<'max' | 'maxItem', number> {
  const bounds = `at most ${grouped(max)}, each 1 to ${grouped(maxItem)} characters without commas`;
  const isItem = (item: unknown): boolean => typeof item === 'string' && !item.includes(',') && isLabel(item, maxItem);
  return {
    max,
    maxItem,
    ...shapeOf<readonly string[]>({
      expected: `an array of ${bounds} and control characters, and without white space at the ends`,
      bounds,
      schema: {
        type: 'array',
        maxItems: max,
        items: {type: 'string', minLength: 1, maxLength: maxItem, pattern: '^[^,]+$'},
      },
      normalize: (value) =>
        Array.isArray(value) && value.length <= max
          ? [...new Set(value.map((item: unknown) => composed(item)))]
          : value,
      holds: (value) => Array.isArray(value) && value.length <= max && value.every(isItem),
    }),
  };
}

/** A letter with its accent is one character. A long text is not composed. */
function composed(item: unknown): unknown {
  return typeof item === 'string' && item.length <= maxUnits ? item.normalize('NFC') : item;
}

/** The maximum length of an item before it is composed. */
const maxUnits = 1000;
