import {percentDecoded} from '../../values/parse-url.ts';
import {ShortUrlError} from '../../errors.ts';
import {didYouMean} from '../../values/describe.ts';
import {expectedType, fromText, hasType} from '../../values/json.ts';
import {malformed} from '../../values/input.ts';
import {decodeBase64, isPlainUrl, malformedBase64} from './base64.ts';
import type {Operation, ParameterTable, Values} from './operation.ts';

/** The parameters of an operation, and which of them a call needs. */
export type Accepted = Pick<Operation, 'parameters' | 'oneOf'>;

/**
 * Reads `name/value` pairs. Each value is percent-decoded once; some are base64-decoded as well.
 *
 * @param segments the undecoded segments of the path after the operation
 * @throws ShortUrlError for the first invalid segment from the left, or for a required parameter that is missing
 */
export function readParameters(segments: readonly string[], accepted: Accepted): Values {
  const {parameters} = accepted;
  const known = Object.keys(parameters);
  const values = new Map<string, unknown>();
  for (let index = 0; index < segments.length;) {
    const name = segments[index] ?? '';
    const {shape} = parameterAt(name, {index, parameters, values});
    // It may contain the slashes of the standard alphabet.
    const isLong = shape.isEncoded === true;
    const end = isLong ? findEnd(segments, index + 1, known) : index + 2;
    const value = decoded(segments.slice(index + 1, end));
    if (!value) throw noValue(name);
    const text = isLong ? decodeBase64(value) : value;
    if (text === undefined) throw malformedBase64(name, value);
    values.set(name, fromText(shape, text));
    index = end;
  }
  checkComplete(values, accepted);
  return values;
}

/**
 * Reads the parameters of an operation from a JSON object, in its order.
 *
 * @throws ShortUrlError for the first wrong member, or for a required parameter that is missing
 */
export function readMembers(object: object, accepted: Accepted): Values {
  const values = new Map<string, unknown>();
  for (const [name, value] of Object.entries(object)) {
    const {shape, isNullable} = parameterIn(accepted.parameters, name);
    const isCleared = value === null && isNullable === true;
    if (!isCleared && !hasType(shape, value)) {
      throw malformed(`The parameter \`${name}\` must be ${expectedType(shape)}.`);
    }
    values.set(name, value);
  }
  checkComplete(values, accepted);
  return values;
}

/** @throws ShortUrlError `missing_parameter`, or `malformed_parameter` if two are given that exclude each other */
function checkComplete(values: Values, {parameters, oneOf = []}: Accepted): void {
  const given = oneOf.filter((name) => values.has(name));
  if (given.length > 1) {
    throw malformed(`Give only one of the parameters ${oneOf.join(', ')}.`);
  }
  const required = Object.keys(parameters).find((name) => parameters[name]?.isRequired && !values.has(name));
  const missing = required ?? (given.length === 0 ? oneOf[0] : undefined);
  if (missing === undefined) return;
  throw new ShortUrlError(
    'missing_parameter',
    `The parameter \`${missing}\` is missing. Add it to the JSON object, or to the path as \`${missing}/<value>\`.`,
  );
}

/** Whether a parameter that should be base64 has a plain URL. The last dot of such a path does not begin a suffix. */
export function hasPlainUrl(segments: readonly string[], parameters: ParameterTable): boolean {
  return segments.some((name, index) => {
    const isEncoded = Object.hasOwn(parameters, name) && parameters[name]?.shape.isEncoded;
    return isEncoded === true && isPlainUrl(segments[index + 1] ?? '');
  });
}

interface Position {
  readonly index: number;
  readonly parameters: ParameterTable;
  readonly values: Values;
}

/** @throws ShortUrlError `unknown_parameter` */
function parameterIn(parameters: ParameterTable, name: string): ParameterTable[string] {
  const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  if (parameter !== undefined) return parameter;
  throw unknownParameter(name, Object.keys(parameters));
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
  const all = known.length === 0 ? 'none' : known.join(', ');
  return new ShortUrlError(
    'unknown_parameter',
    `There is no parameter \`${shown}\`.${didYouMean(shown, known)} Parameters of the operation: ${all}.`,
  );
}

function parameterAt(name: string, {index, parameters, values}: Position): ParameterTable[string] {
  if (name === '') {
    throw malformed(`Segment ${index + 1} after the operation is empty. It must be the name of a parameter.`);
  }
  const parameter = parameterIn(parameters, name);
  if (values.has(name)) throw new ShortUrlError('duplicate_parameter', `The parameter \`${name}\` was given twice.`);
  return parameter;
}

/** Undefined if a percent sequence cannot be decoded. */
function decoded(segments: readonly string[]): string | undefined {
  return percentDecoded(segments.join('/'));
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
