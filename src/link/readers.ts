import {isLabel} from '../host/characters.ts';
import {didYouMean, isInteger, isObject} from '../host/describe.ts';
import {ShortUrlError} from '../host/errors.ts';
import {maxPassword} from './password.ts';

/** In characters, that is code points. */
export const maxTitle = 200;
export const maxDescription = 500;
export const maxReference = 128;
export const maxTag = 50;
export const maxTags = 20;

/** The maximum length of a tag before it is composed, so that a long text is not. */
const maxUnits = 1000;
export const maxLimit = 1_000_000_000;

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

/** @throws ShortUrlError `invalid_password` */
export function readPassword(password: string): string {
  if (Buffer.byteLength(password) > maxPassword) {
    throw new ShortUrlError('invalid_password', `The password must be at most ${maxPassword} bytes of UTF-8.`);
  }
  return password;
}

/** A field that is a name or a sentence in one line, of 1 to `max` characters. `what` names it in the message. */
export function aLabel(what: string, max = maxTitle): Reader<string> {
  return text((given) => {
    if (isLabel(given, max)) return given;
    throw malformed(
      `The ${what} must be 1 to ${max} characters without control characters, and without white space at the ends.`,
    );
  });
}

export const readReference = aLabel('reference', maxReference);

/** @throws ShortUrlError `malformed_parameter` or `unknown_parameter` */
export function readBlock(block: unknown): string | undefined {
  return readFields(block, 'A block is made with', {reason: aLabel('reason')}).reason;
}

/**
 * The tags without repetitions, in the order in which they were given. A letter with its accent is one character.
 *
 * @throws ShortUrlError `malformed_parameter`
 */
export function readTags(value: unknown): readonly string[] {
  const isTag = (tag: unknown): tag is string => typeof tag === 'string' && !tag.includes(',') && isLabel(tag, maxTag);
  const given: unknown[] = Array.isArray(value) && value.length <= maxTags ? value : [undefined];
  const tags = given.map((tag) => (typeof tag === 'string' && tag.length <= maxUnits ? tag.normalize('NFC') : tag));
  if (tags.every(isTag)) return [...new Set(tags)];
  throw malformed(
    `The tags must be an array of at most ${maxTags}, each 1 to ${maxTag} characters without commas and control characters, ` +
      'and without white space at the ends.',
  );
}

/** @throws ShortUrlError `malformed_parameter` */
export function readMaxVisits(value: unknown): number {
  if (isInteger(value, 1, maxLimit)) return value;
  throw malformed(`The visit limit must be an integer from 1 to ${maxLimit}.`);
}

/** @throws ShortUrlError `malformed_parameter` */
export function readBoolean(value: unknown, name: string): boolean {
  if (typeof value === 'boolean') return value;
  throw malformed(`Expected \`${name}\` to be true or false.`);
}

export function malformed(message: string): ShortUrlError {
  return new ShortUrlError('malformed_parameter', message);
}
