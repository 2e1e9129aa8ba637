import {ShortUrlError} from '../errors.ts';

export type SchemaType = 'string' | 'integer' | 'boolean' | 'array' | 'object';

/** The part of JSON Schema that describes values. */
export interface Schema {
  readonly type?: SchemaType | readonly [SchemaType, 'null'];
  /** The name of a type. */
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
  /** Whether a path of the API has it in base64. */
  readonly isEncoded?: true;
  /** Brings a value into the form in which it is checked and used. Anything may be given. */
  readonly normalize?: (value: unknown) => unknown;
  /** What the members of an object must be. It has no others. */
  readonly membersOf?: (value: object) => Readonly<Record<string, Shape>>;
}

/** The TypeScript of the values of a shape. */
export type ValueOf<One> = One extends {readonly holds: (value: unknown) => value is infer Value} ? Value : never;

/** A shape from its check and the words for it. */
export function shapeOf<Value>(
  given: Partial<Omit<Shape, 'holds'>> & {readonly expected: string; readonly holds: (value: unknown) => boolean},
): Shape<Value> {
  return {bounds: '', schema: {}, ...given} as Shape<Value>;
}

/** Checks a value and returns it in the form in which it is used. */
export type Reader<Value> = (value: unknown, name: string) => Value;

/**
 * The reader of the values of a shape.
 *
 * @param what names the value in messages; by default its name does
 * @returns a function that throws ShortUrlError `malformed_parameter` for any other value
 */
export function reader<Value>(shape: Shape<Value>, what?: string): Reader<Value> {
  const {expected, holds, normalize, schema} = shape;
  return (given, name) => {
    const value = normalize === undefined ? given : normalize(given);
    if (holds(value)) return value;
    const isNoText =
      schema.type === 'string' && schema.enum === undefined && (typeof value !== 'string' || value === '');
    if (isNoText) throw malformed(`Expected \`${name}\` to be a string that is not empty.`);
    throw malformed(
      what === undefined ? `Expected \`${name}\` to be ${expected}.` : `The ${what} must be ${expected}.`,
    );
  };
}

/** A reader of what follows from the values of a shape. */
export function readAs<Value, Result>(shape: Shape<Value>, then: (value: Value) => Result): Reader<Result> {
  const read = reader(shape);
  return (value, name) => then(read(value, name));
}

export function malformed(message: string): ShortUrlError {
  return new ShortUrlError('malformed_parameter', message);
}
