import {ShortUrlError} from '../errors.ts';
import {decodeBase64, isPlainUrl, malformedBase64} from './base64.ts';

/** The parameters of an operation. */
export interface ParameterNames {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

export type Parameters = ReadonlyMap<string, string>;

/** The ones whose value is base64, and may have the slashes of its standard alphabet in it. */
const encoded: ReadonlySet<string> = new Set(['url', 'short_url']);

/**
 * Reads `name/value` pairs: each value percent-decoded once, and base64 decoded where the parameter is encoded so.
 *
 * @param segments the undecoded segments of the path behind the operation
 * @throws ShortUrlError for the first segment from the left that is not in order, or for what is missing
 */
export function readParameters(segments: readonly string[], names: ParameterNames): Parameters {
  const known = [...names.required, ...names.optional];
  const values = new Map<string, string>();
  for (let index = 0; index < segments.length;) {
    const name = segments[index] ?? '';
    checkName(name, {index, known, values});
    const isLong = encoded.has(name);
    const end = isLong ? findEnd(segments, index + 1, known) : index + 2;
    const value = decodeValue(segments.slice(index + 1, end), name);
    if (value === '') throw malformed(name);
    values.set(name, isLong ? decodeOrThrow(value, name) : value);
    index = end;
  }
  const missing = names.required.find((name) => !values.has(name));
  if (missing === undefined) return values;
  throw new ShortUrlError(
    'missing_parameter',
    `The parameter \`${missing}\` is missing: the path needs \`${missing}/<value>\`.`,
  );
}

/** Whether a path has a URL in it where its base64 belongs. The last dot of such a path begins no suffix. */
export function hasPlainUrl(segments: readonly string[]): boolean {
  return segments.some((name, index) => encoded.has(name) && isPlainUrl(segments[index + 1] ?? ''));
}

interface Position {
  readonly index: number;
  readonly known: readonly string[];
  readonly values: Parameters;
}

/** The message tells the place and not the name, because a password can have slipped into its place. */
function checkName(name: string, {index, known, values}: Position): void {
  if (name === '') {
    throw new ShortUrlError(
      'malformed_parameter',
      `Segment ${index + 1} behind the operation must be the name of a parameter, but is empty.`,
    );
  }
  if (!known.includes(name)) {
    const expected = known.length === 0 ? 'none' : known.join(', ');
    throw new ShortUrlError(
      'unknown_parameter',
      `Segment ${index + 1} behind the operation is not the name of one of its parameters: ${expected}.`,
    );
  }
  if (values.has(name)) throw new ShortUrlError('duplicate_parameter', `The parameter \`${name}\` is given twice.`);
}

/** @throws ShortUrlError `malformed_parameter` if a percent sequence cannot be decoded */
function decodeValue(segments: readonly string[], name: string): string {
  try {
    return segments.map((segment) => decodeURIComponent(segment)).join('/');
  } catch {
    throw malformed(name);
  }
}

function malformed(name: string): ShortUrlError {
  return new ShortUrlError(
    'malformed_parameter',
    `The parameter \`${name}\` must have a value that is not empty, with every percent sign written %25.`,
  );
}

function decodeOrThrow(value: string, name: string): string {
  const text = decodeBase64(value);
  if (text === undefined) throw malformedBase64(name, value);
  return text;
}

/**
 * Where a base64 value with literal slashes ends: before the name of a parameter or at the end of the path, where it
 * decodes. Of the names only `url` can be part of such a value, and then what stands before it does not decode. Else it
 * ends at the first place that lets it decode, so that the fault reported is the one behind it.
 */
function findEnd(segments: readonly string[], start: number, known: readonly string[]): number {
  // No UTF-8 text begins with the six set bits that a slash stands for: this value is empty.
  if (segments[start] === '') return start + 1;
  const places = segments.map((_, index) => index + 1).slice(start);
  const likely = places.filter((end) => end === segments.length || known.includes(segments[end] ?? ''));
  const tried = [...likely.slice(0, mostTried), ...places.slice(0, mostTried)];
  return tried.find((end) => isBase64(segments.slice(start, end))) ?? segments.length;
}

/** A path of thousands of slashes shall not cost thousands of decodings. */
const mostTried = 32;

function isBase64(segments: readonly string[]): boolean {
  try {
    return decodeBase64(segments.map((segment) => decodeURIComponent(segment)).join('/')) !== undefined;
  } catch {
    return false;
  }
}
