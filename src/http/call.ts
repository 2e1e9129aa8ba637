import {ShortUrlError} from '../errors.ts';

/** How an answer is written. */
export type Format = 'json' | 'xml';

/** A path of the API, taken apart but not yet checked. */
export interface Call {
  /** Undefined where the path has none: then the `Authorization` header has it. */
  readonly apiKey: string | undefined;
  readonly operation: string;
  /** The format that the suffix asks for; undefined for a suffix that is neither. */
  readonly format: Format | undefined;
  /** What stands behind the operation, undecoded and without the suffix. */
  readonly segments: readonly string[];
}

/**
 * Takes a path apart that has one of the forms `<base path>/api/v1/<API_KEY>/shorturl/<operation>…` and
 * `<base path>/api/v1/shorturl/<operation>…`. Any other path is the host's: undefined.
 *
 * @param path the undecoded path of the request, without the query
 * @param prefix `<base path>/api/v1/`
 */
export function parseCall(path: string, prefix: string): Call | undefined {
  if (!path.startsWith(prefix)) return undefined;
  const found = takeKey(path.slice(prefix.length).split('/'));
  if (found === undefined) return undefined;
  const {apiKey, rest} = found;
  const {last, format} = splitSuffix(rest.at(-1) ?? '', rest.at(-2));
  const [operation, ...segments] = [...rest.slice(0, -1), last];
  return {apiKey, operation, format, segments};
}

/** The form of the specification comes first: in `shorturl/shorturl/<operation>` the key is `shorturl`, which is wrong. */
function takeKey([first = '', second = '', ...rest]: readonly string[]):
  (Pick<Call, 'apiKey'> & {rest: string[]}) | undefined {
  if (first !== '' && second === 'shorturl' && rest[0]) return {apiKey: first, rest};
  return first === 'shorturl' && second !== '' ? {apiKey: undefined, rest: [second, ...rest]} : undefined;
}

/** The suffix is what stands behind the last dot; without one the answer is JSON, the documented default. */
function splitSuffix(segment: string, before: string | undefined): {last: string; format: Format | undefined} {
  const dot = segment.lastIndexOf('.');
  const suffix = segment.slice(dot + 1).toLowerCase();
  const format = suffix === 'json' || suffix === 'xml' ? suffix : undefined;
  if (dot !== -1 && format) return {last: segment.slice(0, dot), format};
  // A domain has a dot of its own, and is checked against the site's domains in any case.
  if (dot === -1 || before === 'base_domain') return {last: segment, format: 'json'};
  return {last: segment.slice(0, dot), format: undefined};
}

export function unsupportedFormat(): ShortUrlError {
  return new ShortUrlError(
    'unsupported_format',
    'The path must end in .json or .xml, or have no suffix, which means JSON; a dot in the last value is written %2E.',
  );
}
