export type Format = 'json' | 'xml';

/** The parts of a path of the API. They are not checked yet. */
export interface Call {
  /** Undefined if the path has none; the `Authorization` header should have it then. */
  readonly apiKey: string | undefined;
  readonly operation: string;
  /** The format that the suffix asks for; undefined for an unknown suffix. */
  readonly format: Format | undefined;
  /** The segments after the operation, undecoded and without the suffix. */
  readonly segments: readonly string[];
}

/**
 * Splits a path of the form `<base path>/api/v1/<API_KEY>/shorturl/<operation>…` or
 * `<base path>/api/v1/shorturl/<operation>…` into its parts.
 *
 * @param path the undecoded path of the request, without the query
 * @param prefix `<base path>/api/v1/`
 * @returns undefined for any other path, which belongs to the host
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

/** The form with the key in the path takes precedence: `shorturl/shorturl/<operation>` has the wrong key `shorturl`. */
function takeKey(parts: readonly string[]): (Pick<Call, 'apiKey'> & {rest: string[]}) | undefined {
  const [first = '', second = '', ...rest] = parts;
  if (first !== '' && second === 'shorturl' && rest[0]) return {apiKey: first, rest};
  return first === 'shorturl' && second !== '' ? {apiKey: undefined, rest: [second, ...rest]} : undefined;
}

/** The suffix is the part after the last dot. A path without a suffix means JSON. */
function splitSuffix(segment: string, before: string | undefined): {last: string; format: Format | undefined} {
  const dot = segment.lastIndexOf('.');
  const suffix = segment.slice(dot + 1).toLowerCase();
  const format = suffix === 'json' || suffix === 'xml' ? suffix : undefined;
  if (dot !== -1 && format) return {last: segment.slice(0, dot), format};
  // The dot of a domain does not begin a suffix. An unknown domain is refused later.
  if (dot === -1 || before === 'base_domain') return {last: segment, format: 'json'};
  return {last: segment.slice(0, dot), format: undefined};
}
