import {isObject} from './describe.ts';
import type {Schema, SchemaType, Shape} from './shape.ts';

const expectations: Readonly<Record<SchemaType, string>> = {
  string: 'a string that is not empty',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'a list of strings',
  object: 'an object',
};

/** What the type of a JSON value must be, for messages. */
export function expectedType({schema, bounds}: Shape): string {
  if (schema.items?.type === 'object') return `a list of objects, ${bounds}`;
  return schema.type === undefined ? 'a value' : expectations[schema.type];
}

/** Whether a JSON value has the type of the shape. The reader of the value checks its bounds. */
export function hasType({schema}: Shape, value: unknown): boolean {
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' && value !== '';
    case 'integer':
      return Number.isInteger(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'array':
      return Array.isArray(value) && haveType(schema, value);
    case 'object':
      return isObject(value);
    default:
      return true;
  }
}

function haveType({items, minItems = 0, maxItems = Infinity}: Schema, values: readonly unknown[]): boolean {
  if (items?.type === 'object') return values.length >= minItems && values.length <= maxItems;
  return values.every((value) => typeof value === 'string');
}

/** The value that a text in a path of the API, or in a cell of a file, means. The reader of the value refuses what is none. */
export function fromText({schema}: Shape, given: string): unknown {
  switch (schema.type) {
    case 'integer':
      // NaN is outside all bounds.
      return /^\d+$/.test(given) ? Number(given) : Number.NaN;
    case 'boolean':
      return {true: true, false: false}[given] ?? given;
    case 'array':
      return schema.items?.type === 'object' ? fromJson(given) : given.split(',');
    case 'object':
      return fromJson(given);
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
