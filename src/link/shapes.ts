import {isLabel} from '../values/characters.ts';
import {enumerated, grouped, isInteger} from '../host/describe.ts';
import {malformed, type Reader, text} from './readers.ts';
import {maxUrl} from './parse-url.ts';

type SchemaType = 'string' | 'integer' | 'boolean' | 'array' | 'object';

/** The part of JSON Schema that describes values. */
export interface Schema {
  readonly type: SchemaType | readonly [SchemaType, 'null'];
  readonly description?: string;
  readonly const?: string;
  readonly enum?: readonly string[];
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
export type ValueSchema = Omit<Schema, 'type'> & {readonly type: SchemaType};

/**
 * What values look like. Readers, messages, the parameters of the API, inputs of forms and the descriptions follow from
 * it, so that each bound is written once.
 */
export interface Shape {
  readonly schema: ValueSchema;
  /** The bounds for people, such as `1 to 200 characters`; empty if there are none to tell. */
  readonly bounds: string;
  /** Whether a path of the API has it in base64. */
  readonly isEncoded?: true;
  /** The TypeScript of a value as it is given, if the schema does not say it. */
  readonly given?: string;
  /** The TypeScript of a value that was read, if that is another one. */
  readonly read?: string;
}

/** A shape that says all that is to be checked. */
export interface Readable<Value> extends Shape {
  /** @param what names the value in messages */
  readonly reader: (what: string) => Reader<Value>;
}

/** A name or a sentence in one line. The maximum is in characters, that is code points. */
export function line(max: number): Readable<string> & {readonly max: number} {
  const bounds = `1 to ${grouped(max)} characters`;
  return {
    max,
    schema: {type: 'string', minLength: 1, maxLength: max},
    bounds,
    reader: (what) =>
      text((given) => {
        if (isLabel(given, max)) return given;
        throw malformed(
          `The ${what} must be ${bounds} without control characters, and without white space at the ends.`,
        );
      }),
  };
}

/** A text that is not empty. Its reader is told apart. */
export function someText(schema: Omit<Schema, 'type'> = {}, bounds = ''): Shape {
  return {schema: {type: 'string', minLength: 1, ...schema}, bounds};
}

/** A text with a form. Its reader is told apart. */
export function patterned(pattern: string, format?: string): Shape {
  return {schema: {type: 'string', pattern, ...(format !== undefined && {format})}, bounds: ''};
}

/** A day. */
export const day = patterned(String.raw`^\d{4}-\d{2}-\d{2}$`);

/** A day or a moment. */
export const moment: Shape = {
  ...patterned(String.raw`^\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}(:?\d{2})?)?)?$`),
  bounds:
    'written `yyyy-mm-dd`, `yyyy-mm-dd hh:mm` or `yyyy-mm-dd hh:mm:ss` in the time zone of the site, or in ISO 8601 with an offset',
  given: 'string | Date',
  read: 'number',
};

/** A moment as the API writes it. */
export const utc = patterned(String.raw`^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$`);

export function integer(min: number, max: number): Readable<number> & {readonly max: number} {
  const bounds = `${grouped(min)} to ${grouped(max)}`;
  return {
    max,
    schema: {type: 'integer', minimum: min, maximum: max},
    bounds,
    reader: (what) => (value) => {
      if (isInteger(value, min, max)) return value;
      throw malformed(`The ${what} must be an integer from ${min} to ${max}.`);
    },
  };
}

/** A number of visits, for example. */
export const count: Shape = {schema: {type: 'integer', minimum: 0}, bounds: ''};

export const flag: Readable<boolean> = {
  schema: {type: 'boolean'},
  bounds: '',
  reader: () => (value, name) => {
    if (typeof value === 'boolean') return value;
    throw malformed(`Expected \`${name}\` to be true or false.`);
  },
};

export function choice<Value extends string>(values: readonly Value[]): Readable<Value> {
  const names = values.map((value) => `\`${value}\``);
  const bounds = enumerated(names, 'or');
  return {
    schema: {type: 'string', enum: values},
    bounds,
    reader: (what) => (value) => {
      const found = values.find((each) => each === value);
      if (found !== undefined) return found;
      throw malformed(`The ${what} must be ${bounds}.`);
    },
  };
}

/** A list of lines, each once, of which none has a comma. */
export function list(max: number, maxItem: number): Readable<readonly string[]> & Record<'max' | 'maxItem', number> {
  const bounds = `at most ${grouped(max)}, each 1 to ${grouped(maxItem)} characters without commas`;
  const isItem = (item: unknown): item is string =>
    typeof item === 'string' && !item.includes(',') && isLabel(item, maxItem);
  return {
    max,
    maxItem,
    schema: {
      type: 'array',
      maxItems: max,
      items: {type: 'string', minLength: 1, maxLength: maxItem, pattern: '^[^,]+$'},
    },
    bounds,
    reader: (what) => (value) => {
      const given: unknown[] = Array.isArray(value) && value.length <= max ? value : [undefined];
      // A letter with its accent is one character. A long text is not composed.
      const items = given.map((item) =>
        typeof item === 'string' && item.length <= maxUnits ? item.normalize('NFC') : item,
      );
      if (items.every(isItem)) return [...new Set(items)];
      throw malformed(
        `The ${what} must be an array of ${bounds} and control characters, and without white space at the ends.`,
      );
    },
  };
}

/** The maximum length of an item before it is composed. */
const maxUnits = 1000;

/** A URL of a link, which the schemes of the site decide about. */
export const longUrl: Shape = {
  schema: {type: 'string', minLength: 1, maxLength: maxUrl},
  bounds: `at most ${grouped(maxUrl)} characters`,
  isEncoded: true,
  read: 'LongUrl',
};

const expectations: Readonly<Record<SchemaType, string>> = {
  string: 'a string that is not empty',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'a list of strings',
  object: 'an object',
};

/** What a JSON value must be, for messages. */
export function expected({schema, bounds}: Shape): string {
  return schema.items?.type === 'object' ? `a list of objects, ${bounds}` : expectations[schema.type];
}

/** Whether a JSON value has the type of the shape. The reader of the value checks its bounds. */
export function holds({schema}: Shape, value: unknown): boolean {
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' && value !== '';
    case 'integer':
      return Number.isInteger(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'array':
      return Array.isArray(value) && holdsItems(schema, value);
    case 'object':
      return typeof value === 'object' && value !== null;
  }
}

function holdsItems({items, minItems = 0, maxItems = Infinity}: Schema, values: readonly unknown[]): boolean {
  if (items?.type === 'object') return values.length >= minItems && values.length <= maxItems;
  return values.every((value) => typeof value === 'string');
}

/** The value that a text in a path of the API means. The reader of the value refuses what is none. */
export function fromText({schema}: Shape, given: string): unknown {
  switch (schema.type) {
    case 'integer':
      // NaN is outside all bounds.
      return /^\d+$/.test(given) ? Number(given) : Number.NaN;
    case 'boolean':
      return {true: true, false: false}[given] ?? given;
    case 'array':
      return schema.items?.type === 'object' ? fromJson(given) : given.split(',');
    default:
      return given;
  }
}

function fromJson(given: string): unknown {
  try {
    return JSON.parse(given) as unknown;
  } catch {
    return given;
  }
}
