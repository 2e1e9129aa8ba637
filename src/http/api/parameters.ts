import {didYouMean} from '../../host/describe.ts';
import {ShortUrlError} from '../../host/errors.ts';
import {fieldNames, fields} from '../../link/fields.ts';
import {malformed} from '../../link/readers.ts';
import {decodeBase64, isPlainUrl, malformedBase64} from './base64.ts';
import {formOf} from './forms.ts';

export interface ParameterNames {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Those of the optional ones of which exactly one is needed. */
  readonly oneOf?: readonly string[];
  /** Those that a JSON object may set to null. */
  readonly nullable?: readonly string[];
}

/** The plain values of parameters, in the order of the caller: `tags` is a list, `limit` a number. */
export type Values = ReadonlyMap<string, unknown>;

/** Parameters with a base64 value, which may contain the slashes of the standard alphabet. */
const encoded: ReadonlySet<string> = new Set([
  'short_url',
  ...fieldNames.filter((name) => fields[name].isEncoded).map((name) => fields[name].parameter),
]);

/**
 * Reads `name/value` pairs. Each value is percent-decoded once; some are base64-decoded as well.
 *
 * @param segments the undecoded segments of the path after the operation
 * @throws ShortUrlError for the first invalid segment from the left, or for a required parameter that is missing
 */
export function readParameters(segments: readonly string[], names: ParameterNames): Values {
  const known = [...names.required, ...names.optional];
  const values = new Map<string, unknown>();
  for (let index = 0; index < segments.length;) {
    const name = segments[index] ?? '';
    checkName(name, {index, known, values});
    const isLong = encoded.has(name);
    const end = isLong ? findEnd(segments, index + 1, known) : index + 2;
    const value = decoded(segments.slice(index + 1, end));
    if (!value) throw noValue(name);
    const text = isLong ? decodeBase64(value) : value;
    if (text === undefined) throw malformedBase64(name, value);
    values.set(name, formOf(name).fromText?.(text) ?? text);
    index = end;
  }
  checkComplete(values, names);
  return values;
}

/**
 * Reads the parameters of an operation from a JSON object, in its order.
 *
 * @throws ShortUrlError for the first wrong member, or for a required parameter that is missing
 */
export function readMembers(object: object, names: ParameterNames): Values {
  const known = [...names.required, ...names.optional];
  const values = new Map<string, unknown>();
  for (const [name, value] of Object.entries(object)) {
    if (!known.includes(name)) throw unknownParameter(name, known);
    const {holds, expected} = formOf(name);
    const isCleared = value === null && names.nullable?.includes(name) === true;
    if (!isCleared && !holds(value)) {
      throw malformed(`The parameter \`${name}\` must be ${expected}.`);
    }
    values.set(name, value);
  }
  checkComplete(values, names);
  return values;
}

/** @throws ShortUrlError `missing_parameter`, or `malformed_parameter` if two are given that exclude each other */
function checkComplete(values: Values, {required, oneOf = []}: ParameterNames): void {
  const given = oneOf.filter((name) => values.has(name));
  if (given.length > 1) {
    throw malformed(`Give only one of the parameters ${oneOf.join(', ')}.`);
  }
  const missing = required.find((name) => !values.has(name)) ?? (given.length === 0 ? oneOf[0] : undefined);
  if (missing === undefined) return;
  throw new ShortUrlError(
    'missing_parameter',
    `The parameter \`${missing}\` is missing. Add it to the JSON object, or to the path as \`${missing}/<value>\`.`,
  );
}

/** Whether a parameter that should be base64 has a plain URL. The last dot of such a path does not begin a suffix. */
export function hasPlainUrl(segments: readonly string[]): boolean {
  return segments.some((name, index) => encoded.has(name) && isPlainUrl(segments[index + 1] ?? ''));
}

interface Position {
  readonly index: number;
  readonly known: readonly string[];
  readonly values: Values;
}

/**
 * Names an unknown parameter. The name is cut to 32 printable characters.
 *
 * @param known the parameters of the operation
 */
function unknownParameter(name: string, known: readonly string[]): ShortUrlError {
  const shown = Array.from(name.replaceAll(/[\p{C}`]/gu, ''))
    .slice(0, 32)
    .join('');
  const expected = known.length === 0 ? 'none' : known.join(', ');
  return new ShortUrlError(
    'unknown_parameter',
    `There is no parameter \`${shown}\`.${didYouMean(shown, known)} Parameters of the operation: ${expected}.`,
  );
}

function checkName(name: string, {index, known, values}: Position): void {
  if (name === '') {
    throw malformed(`Segment ${index + 1} after the operation is empty. It must be the name of a parameter.`);
  }
  if (!known.includes(name)) throw unknownParameter(name, known);
  if (values.has(name)) throw new ShortUrlError('duplicate_parameter', `The parameter \`${name}\` was given twice.`);
}

/** Undefined if a percent sequence cannot be decoded. */
function decoded(segments: readonly string[]): string | undefined {
  try {
    return segments.map((segment) => decodeURIComponent(segment)).join('/');
  } catch {
    return undefined;
  }
}

function noValue(name: string): ShortUrlError {
  return malformed(`The parameter \`${name}\` must have a value. Write a percent sign as %25.`);
}

/**
 * Finds the end of a base64 value with literal slashes: the end of the path or the next parameter name, if the value
 * decodes there. (Of the names only `url` can be a part of a longer value; the part before it does not decode then.)
 * Otherwise the value ends at the first segment where it decodes, so that the error is about the segment after it.
 */
function findEnd(segments: readonly string[], start: number, known: readonly string[]): number {
  // A leading slash would mean six set bits, and UTF-8 text cannot begin so: the value is empty.
  if (segments[start] === '') return start + 1;
  const ends = segments.map((_, index) => index + 1).slice(start);
  const likely = ends.filter((end) => end === segments.length || known.includes(segments[end] ?? ''));
  const tried = [...likely.slice(0, maxTried), ...ends.slice(0, maxTried)];
  const isBase64 = (end: number): boolean => decodeBase64(decoded(segments.slice(start, end)) ?? '') !== undefined;
  return tried.find(isBase64) ?? segments.length;
}

/** A bound on the work for a path of thousands of slashes. */
const maxTried = 32;
