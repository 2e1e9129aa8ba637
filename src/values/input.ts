import {ShortUrlError} from '../errors.ts';
import {describe, didYouMean, isObject} from './describe.ts';
import {isMembers} from './objects.ts';
import type {Shape} from './shape.ts';

/** Checks a value and returns it in the form in which it is used. Some need rules, on which the check depends. */
export type Reader<Value, Rules extends readonly unknown[] = []> = (
  value: unknown,
  name: string,
  ...rules: Rules
) => Value;

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
export function readAs<Value, Result, Rules extends readonly unknown[]>(
  shape: Shape<Value>,
  then: (value: Value, ...rules: Rules) => Result,
): Reader<Result, Rules> {
  const read = reader(shape);
  return (value, name, ...rules) => then(read(value, name), ...rules);
}

/**
 * Reads the fields of an input in the given order, so that the first wrong one is reported. A field that is undefined
 * counts as absent.
 *
 * @param action the beginning of the error message, as in `A link is created from url, …`
 * @param rules what each of the readers gets
 * @throws ShortUrlError `unknown_parameter`, or what the reader of the field throws
 */
export function readFields<
  Rules extends readonly unknown[],
  Readers extends Readonly<Record<string, Reader<unknown, Rules>>>,
>(
  input: unknown,
  action: string,
  readers: Readers,
  ...rules: Rules
): {[Name in keyof Readers]?: ReturnType<Readers[Name]>} {
  const fields: Record<string, unknown> = {};
  const given = isObject(input) ? input : {};
  for (const name of Object.keys(given)) {
    const value = given[name];
    if (value === undefined) continue;
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (read === undefined) throw unknownField(name, action, Object.keys(readers));
    fields[name] = read(value, name, ...rules);
  }
  return fields as {[Name in keyof Readers]?: ReturnType<Readers[Name]>};
}

/**
 * Reads options that may be left out, as `readFields` does. Nothing else than an object is taken for them, because all of it
 * would be ignored.
 *
 * @throws ShortUrlError also `malformed_parameter`
 */
export function readOptions<
  Rules extends readonly unknown[],
  Readers extends Readonly<Record<string, Reader<unknown, Rules>>>,
>(options: unknown, action: string, readers: Readers, ...rules: Rules) {
  if (options !== undefined && options !== null && !isMembers(options)) {
    throw malformed(`${action} ${Object.keys(readers).join(', ')}, in an object; got ${describe(options)}.`);
  }
  return readFields(options, action, readers, ...rules);
}

/**
 * Reads the members of an object inside of an input, as `readFields` does.
 *
 * @throws ShortUrlError `malformed_parameter` also for an unknown member
 */
export function readMembers<
  Rules extends readonly unknown[],
  Readers extends Readonly<Record<string, Reader<unknown, Rules>>>,
>(
  value: object,
  action: string,
  readers: Readers,
  ...rules: Rules
): {[Name in keyof Readers]?: ReturnType<Readers[Name]>} {
  try {
    return readFields(value, action, readers, ...rules);
  } catch (error) {
    if (error instanceof ShortUrlError && error.code === 'unknown_parameter') throw malformed(error.message);
    throw error;
  }
}

function unknownField(name: string, action: string, known: readonly string[]): ShortUrlError {
  const given = /^\w{1,40}$/.test(name)
    ? `there is no \`${name}\`.${didYouMean(name, known)}`
    : 'something else was given.';
  return new ShortUrlError('unknown_parameter', `${action} ${known.join(', ')}; ${given}`);
}

/** @throws ShortUrlError `malformed_parameter` */
export function refuse(message: string): never {
  throw malformed(message);
}

export function malformed(message: string): ShortUrlError {
  return new ShortUrlError('malformed_parameter', message);
}
