const hidden = '[redacted]';

/** Slashes as they are and percent-encoded, also twice; kept apart from the segments between them. */
const slashes = /((?:\/|%(?:25)*2F)+)/i;

/** Keys are longer; a segment that could be one is hidden whatever follows it. */
const shortestKey = 20;

/** What ends a password that was sent with slashes of its own in it. */
const names: ReadonlySet<string> = new Set([
  'url',
  'custom_url',
  'expiry_date',
  'base_domain',
  'short_url',
  'limit',
  'cursor',
]);

/**
 * Takes the API key and the password out of a URL, or a path, before it is logged. It looks for where they would stand
 * and asks little else of the text, so that a mistyped call gives nothing away either; the rest stays as it is.
 *
 * @example
 * redactUrl('/api/v1/Vt…3k/shorturl/create/password/s3cret/url/aHR0…')
 * // '/api/v1/[redacted]/shorturl/create/password/[redacted]/url/aHR0…'
 */
export function redactUrl(url: string): string {
  const end = url.search(/[?#]/);
  const path = end === -1 ? url : url.slice(0, end);
  const rest = end === -1 ? '' : url.slice(end);
  const open = path.replace(/(\/\/)[^/\s]*@/, `$1${hidden}@`);
  return redactPath(open) + rest.replace(/([?&#]password=)[^&#\s]*/gi, `$1${hidden}`);
}

function redactPath(path: string): string {
  // Segments stand at even places, the slashes between them at odd ones; `.` and `..` are no segments of a call.
  const parts = path.split(slashes);
  const places = parts.flatMap((part, index) => (index % 2 === 0 && !/^\.{1,2}$/.test(part) ? [index] : []));
  const words = places.map((index) => decode(parts[index] ?? '').toLowerCase());
  const hide = (place: number, text = hidden): void => {
    const index = places[place];
    if (index !== undefined && parts[index] !== '') parts[index] = text;
  };
  const isVersion = (place: number): boolean => words[place - 1] === 'api' && /^v\d+$/.test(words[place] ?? '');
  const couldBeKey = (place: number): boolean => (words[place]?.length ?? 0) >= shortestKey;

  let isCall = false;
  for (let place = 0; place < places.length; place++) {
    const isService = words[place]?.startsWith('shorturl') ?? false;
    if (isService && (isVersion(place - 2) || couldBeKey(place - 1))) hide(place - 1);
    if (isVersion(place) && couldBeKey(place + 1)) hide(place + 1);
    isCall ||= isService || (isVersion(place) && couldBeKey(place + 1));
    if (!isCall) continue;
    if (words[place]?.startsWith('password=')) hide(place, `password=${hidden}`);
    if (words[place] !== 'password') continue;
    do hide(++place);
    while (place + 1 < places.length && !names.has(words[place + 1] ?? ''));
  }
  return parts.join('');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
