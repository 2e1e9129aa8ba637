import {ShortUrlError} from '../errors.ts';
import {decodeBase64, malformedBase64} from './base64.ts';

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
    const end = isLong ? findEnd(segments, index + 1, {known, values, name}) : index + 2;
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
  if (text === undefined) throw malformedBase64(name);
  return text;
}

interface Context {
  readonly known: readonly string[];
  readonly values: Parameters;
  readonly name: string;
}

/**
 * Where a base64 value with literal slashes ends: before the first pairs that can stand behind it, if what is left
 * decodes; else it is the whole rest of the path. Where neither decodes, it ends at the first place that lets it
 * decode, before the name of a parameter if there is one, so that the fault reported is the one behind it.
 */
function findEnd(segments: readonly string[], start: number, context: Context): number {
  // No UTF-8 text begins with the six set bits that a slash stands for: this value is empty.
  if (segments[start] === '') return start + 1;
  const decodes = (end: number) => isBase64(segments.slice(start, end));
  const mostPairs = context.known.length - context.values.size - 1;
  for (let pairs = mostPairs; pairs > 0; pairs--) {
    const end = segments.length - 2 * pairs;
    if (end > start && arePairs(segments.slice(end), context) && decodes(end)) return end;
  }
  if (decodes(segments.length)) return segments.length;
  const furthest = Math.min(segments.length - 1, start + mostTried);
  const ends = Array.from({length: Math.max(0, furthest - start)}, (_, index) => start + 1 + index).filter(decodes);
  return ends.find((end) => context.known.includes(segments[end] ?? '')) ?? ends[0] ?? segments.length;
}

/** Looked at to tell one fault from another; a path of thousands of slashes shall not cost thousands of decodings. */
const mostTried = 32;

function isBase64(segments: readonly string[]): boolean {
  try {
    return decodeBase64(segments.map((segment) => decodeURIComponent(segment)).join('/')) !== undefined;
  } catch {
    return false;
  }
}

function arePairs(segments: readonly string[], {known, values, name}: Context): boolean {
  const seen = new Set([name, ...values.keys()]);
  for (let index = 0; index < segments.length; index += 2) {
    const pair = segments[index] ?? '';
    const value = segments[index + 1] ?? '';
    if (!known.includes(pair) || seen.has(pair) || value === '' || !isDecodable(value)) return false;
    seen.add(pair);
  }
  return true;
}

function isDecodable(value: string): boolean {
  try {
    decodeURIComponent(value);
    return true;
  } catch {
    return false;
  }
}
