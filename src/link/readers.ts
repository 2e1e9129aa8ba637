import {didYouMean, isObject} from '../host/describe.ts';
import {ShortUrlError} from '../errors.ts';

/** Checks the value of a field and returns it in the form in which it is used. */
export type Reader<Value> = (value: unknown, name: string) => Value;

/**
 * Reads the fields of an input in the given order, so that the first wrong one is reported. A field that is undefined
 * counts as absent.
 *
 * @param action the beginning of the error message, as in `A link is created from url, …`
 * @throws ShortUrlError `unknown_parameter`, or what the reader of the field throws
 */
export function readFields<Readers extends Readonly<Record<string, Reader<unknown>>>>(
  input: unknown,
  action: string,
  readers: Readers,
): {[Name in keyof Readers]?: ReturnType<Readers[Name]>} {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(isObject(input) ? input : {})) {
    if (value === undefined) continue;
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (read === undefined) {
      const known = Object.keys(readers);
      const given = /^\w{1,40}$/.test(name)
        ? `there is no \`${name}\`.${didYouMean(name, known)}`
        : 'something else was given.';
      throw new ShortUrlError('unknown_parameter', `${action} ${known.join(', ')}; ${given}`);
    }
    fields[name] = read(value, name);
  }
  return fields as {[Name in keyof Readers]?: ReturnType<Readers[Name]>};
}

export function text<Value>(read: (text: string) => Value): Reader<Value> {
  return (value, name) => {
    if (typeof value === 'string' && value !== '') return read(value);
    throw malformed(`Expected \`${name}\` to be a string that is not empty.`);
  };
}

/** A field that is a string or, in code, a `Date`. */
export function textOrDate<Value>(read: (date: string | Date) => Value): Reader<Value> {
  return (value, name) => (value instanceof Date ? read(value) : text(read)(value, name));
}

export function malformed(message: string): ShortUrlError {
  return new ShortUrlError('malformed_parameter', message);
}
