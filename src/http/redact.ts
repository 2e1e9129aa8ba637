import {fieldNames, fields} from '../link/fields.ts';

const hidden = '[redacted]';

/** The separators between the words of a URL, plain or percent-encoded any number of times. */
const separators = /((?:[/\\?#&]|%(?:25)*(?:2F|5C|3F|23|26))+)/i;

/** The shape of an API key, with or without the position of its account. */
const keys = /(?<![\w-])[\w-]{32}(?:-[1-9a-z][\da-z]{0,10})?(?![\w-])/g;

/** The shape of a mistyped or truncated key. It counts only where a key is expected. */
const nearlyKey = /[\w-]{20}/;

/** Parameters whose value is not secret. */
const harmless: ReadonlySet<string> = new Set([
  ...fieldNames.filter((name) => !fields[name].isSecret).map((name) => fields[name].parameter),
  'short_url',
  'clear',
  'add_tags',
  'remove_tags',
  'status',
  'tag',
  'search',
  'order',
  'limit',
  'cursor',
]);

/**
 * Replaces API keys and passwords in a URL or a path with `[redacted]`, so that it can be logged:
 *
 * - every word with the shape of an API key, and every word between `api/v1` and `shorturl`;
 * - in an API call, every parameter that is not known to be harmless, so that a mistyped name hides its value too;
 * - in a query, the values of `password` and `key`; in the authority, the credentials (`user:password@`).
 *
 * The rest of the URL is unchanged.
 *
 * @example
 * redactUrl('/api/v1/Vt…3k/shorturl/create/password/s3cret/url/aHR0…')
 * // '/api/v1/[redacted]/shorturl/create/password/[redacted]/url/aHR0…'
 */
export function redactUrl(url: string): string {
  // Words have even indexes, the separators between them odd ones.
  const parts = url.split(separators);
  const words = readWords(parts);
  const replaced = hideSecrets(words);
  let wasHidden = false;
  words.forEach(({index}, number) => {
    const part = parts[index] ?? '';
    const shown = replaced[number] ?? withoutKeys(part);
    // A secret that contains separators is hidden as a whole.
    if (shown === hidden && wasHidden) parts.fill('', (words[number - 1]?.index ?? 0) + 1, index + 1);
    else parts[index] = shown;
    wasHidden = shown !== part && shown.endsWith(hidden);
  });
  return parts.join('');
}

interface Word {
  readonly index: number;
  /** Decoded, in lower case. */
  readonly text: string;
  /** The decoded separators before the word. */
  readonly separator: string;
  readonly part: string;
}

/** Treats `.` and `..` as separators, because servers and proxies remove them from a path. */
function readWords(parts: readonly string[]): Word[] {
  const words: Word[] = [];
  let separator = '';
  parts.forEach((part, index) => {
    const text = decode(part);
    if (index % 2 === 1 || /^\.{0,2}$/.test(text)) separator += text;
    else {
      words.push({index, text: text.toLowerCase(), separator, part});
      separator = '';
    }
  });
  return words;
}

/** What the next word should be. A call has an operation, names and values. A secret may contain separators. */
type Expected = 'anything' | 'operation' | 'name' | 'value' | 'secret' | 'rest of a secret' | 'rest of a pair';

/** The replacement of each word; undefined for a word in which only an API key is replaced. */
function hideSecrets(words: readonly Word[]): ReadonlyArray<string | undefined> {
  const replaced = words.map(withoutUser);
  const textAt = (index: number): string => words[index]?.text ?? '';
  const couldBeKey = (index: number): boolean => nearlyKey.test(textAt(index));
  const isVersion = (index: number): boolean => /^v\d+$/.test(textAt(index)) && /\bapi$/.test(textAt(index - 1));
  let expected: Expected = 'anything';
  let isNearCall = false;
  let hasKey = false;

  /** Outside a call and a query pair: looks for the beginning of one. */
  function readAnything(index: number): Expected {
    const text = textAt(index);
    if (text.startsWith('shorturl')) {
      isNearCall = true;
      const distance = [1, 2, 3, 4].find((length) => isVersion(index - length));
      const start = index + 1 - (distance ?? (couldBeKey(index - 1) ? 2 : 1));
      replaced.fill(hidden, start, index);
      // Without a key or a version before it, the word may belong to a page of the host.
      return distance !== undefined || start < index || hasKey ? 'operation' : 'anything';
    }
    if (isVersion(index) && couldBeKey(index + 1)) {
      isNearCall = true;
      replaced[index + 1] = hidden;
    }
    if (isNearCall && text === 'password') return 'secret';
    const [, name = '', value = ''] = /^(password|key|api_?key)=(.*)/s.exec(text) ?? [];
    if (name !== 'password' && !nearlyKey.test(value)) return 'anything';
    replaced[index] = `${name}=${hidden}`;
    return 'rest of a pair';
  }

  function read(index: number, state: Expected): Expected {
    const text = textAt(index);
    if (state === 'anything') return readAnything(index);
    if (state === 'operation' && couldBeKey(index)) replaced[index] = hidden;
    if ((state === 'operation' || state === 'value') && !/^(password|key)(=|$)/.test(text)) return 'name';
    if (state !== 'secret' && state !== 'rest of a pair') {
      if (harmless.has(text)) return 'value';
      if (state !== 'rest of a secret' && (text === 'password' || text === 'key')) return 'secret';
    }
    replaced[index] = hidden;
    return state === 'rest of a pair' ? state : 'rest of a secret';
  }

  for (const [index, {separator, part}] of words.entries()) {
    hasKey ||= decode(part).search(keys) !== -1;
    const ends = expected === 'rest of a pair' ? /[&#]/ : /[?#]/;
    if (!expected.endsWith('secret') && ends.test(separator)) expected = 'anything';
    expected = read(index, expected);
  }
  return replaced;
}

/** Hides the credentials in an authority. Undefined if the word has none. */
function withoutUser({part, separator}: Word): string | undefined {
  const host = /[/\\]{2}$/.test(separator) ? /^.*(?:@|%(?:25)*40)(.*)/is.exec(part)?.[1] : undefined;
  return host === undefined ? undefined : `${hidden}@${host}`;
}

/** Hides an escaped word as a whole: showing it decoded could put control characters into the log. */
function withoutKeys(part: string): string {
  const text = decode(part);
  if (text.search(keys) === -1) return part;
  return text === part ? part.replace(keys, hidden) : hidden;
}

/** Undoes percent-encoding of ASCII, up to five times. Malformed sequences stay. */
function decode(text: string): string {
  let decoded = text;
  for (let depth = 0; depth < maxDepth; depth++) {
    const next = decoded.replaceAll(/%([0-7][\da-f])/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
    if (next === decoded) return next;
    decoded = next;
  }
  return decoded;
}

const maxDepth = 5;
