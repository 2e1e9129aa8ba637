import {ShortUrlError} from '../errors.ts';
import {didYouMean, isObject} from './describe.ts';
import {malformed, type Reader} from './shape.ts';

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

/**
 * Reads the members of an object inside of an input, as `readFields` does.
 *
 * @throws ShortUrlError `malformed_parameter` also for an unknown member
 */
export function readMembers<Readers extends Readonly<Record<string, Reader<unknown>>>>(
  value: object,
  action: string,
  readers: Readers,
): {[Name in keyof Readers]?: ReturnType<Readers[Name]>} {
  try {
    return readFields(value, action, readers);
  } catch (error) {
    if (error instanceof ShortUrlError && error.code === 'unknown_parameter') throw malformed(error.message);
    throw error;
  }
}
