const hidden = '[redacted]';

/** The segment behind `/api/v1/`, if the service's name follows it or it is long enough to be a key. */
const apiKey =
  /((?:\/|%2F)+api(?:\/|%2F)+v1(?:\/|%2F)+)(?:(?:(?!%2F)[^/?#\s])+(?=(?:\/|%2F)+shorturl)|[\w%~.-]{20,})/gi;

/** The segment behind `password`, in any part of a call that comes after the service's name; it may hold a slash, encoded. */
const password = /((?:\/|%2F)password(?:\/|%2F|=)+)[^/?#\s]+/gi;
const service = /(?:\/|%2F)shorturl(?=\/|%2F|$)/i;

const field = /([?&]password=)[^&#\s]*/gi;
const userInfo = /(\/\/)[^/?#\s@]+@/g;

/**
 * Takes the API key and the password out of a URL, or a path, before it is logged. It looks for where they would stand
 * and asks nothing else of the text, so that a mistyped call gives nothing away either; the rest stays as it is.
 *
 * @example
 * redactUrl('/api/v1/Vt…3k/shorturl/create/password/s3cret/url/aHR0…')
 * // '/api/v1/[redacted]/shorturl/create/password/[redacted]/url/aHR0…'
 */
export function redactUrl(url: string): string {
  const text = url.replace(apiKey, `$1${hidden}`).replace(field, `$1${hidden}`).replace(userInfo, `$1${hidden}@`);
  const call = service.exec(text);
  if (call === null) return text;
  return text.slice(0, call.index) + text.slice(call.index).replace(password, `$1${hidden}`);
}
