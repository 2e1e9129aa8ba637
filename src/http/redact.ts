const hidden = '[redacted]';

/** What stands between the words of a URL: as it is and percent-encoded, however often. */
const separators = /((?:[/\\?#&]|%(?:25)*(?:2F|5C|3F|23|26))+)/i;

/** The shape of an API key, wherever it stands. */
const keys = /(?<![\w-])[\w-]{32}(?![\w-])/g;

/** Where a key is expected, this is taken for one that was mistyped or cut off. */
const nearlyKey = /[\w-]{20}/;

/** Parameters of a call whose value anybody may read. */
const harmless: ReadonlySet<string> = new Set([
  'url',
  'custom_url',
  'expiry_date',
  'base_domain',
  'title',
  'tags',
  'max_visits',
  'short_url',
  'clear',
  'status',
  'tag',
  'search',
  'order',
  'limit',
  'cursor',
]);

/**
 * Takes the API key and the password out of a URL, or a path, before it is logged:
 *
 * - whatever has the shape of a key, and any word between `api/v1` and `shorturl`;
 * - in a call of the API each parameter that is not known to be harmless, so that a mistyped name hides its value too;
 * - in a query the value of `password` and of `key`, and what a user logs in with (`user:password@`).
 *
 * Any other URL stays as it is.
 *
 * @example
 * redactUrl('/api/v1/Vt…3k/shorturl/create/password/s3cret/url/aHR0…')
 * // '/api/v1/[redacted]/shorturl/create/password/[redacted]/url/aHR0…'
 */
export function redactUrl(url: string): string {
  // Words stand at even places, the separators between them at odd ones.
  const parts = url.split(separators);
  const words = readWords(parts);
  const marks = markSecrets(words);
  let wasHidden = false;
  words.forEach(({place}, index) => {
    const part = parts[place] ?? '';
    const shown = marks[index] ?? withoutKeys(part);
    // A secret that has separators in it is hidden as one.
    if (shown === hidden && wasHidden) parts.fill('', (words[index - 1]?.place ?? 0) + 1, place + 1);
    else parts[place] = shown;
    wasHidden = shown !== part && shown.endsWith(hidden);
  });
  return parts.join('');
}

interface Word {
  readonly place: number;
  /** Decoded, in lower case. */
  readonly text: string;
  /** What stands before it, decoded. */
  readonly separator: string;
  /** As it was written. */
  readonly part: string;
}

/** The words that count: servers and proxies take dots out of a path. */
function readWords(parts: readonly string[]): Word[] {
  const words: Word[] = [];
  let separator = '';
  parts.forEach((part, place) => {
    const text = decode(part);
    if (place % 2 === 1 || /^\.{0,2}$/.test(text)) separator += text;
    else {
      words.push({place, text: text.toLowerCase(), separator, part});
      separator = '';
    }
  });
  return words;
}

/** What is expected next. A call has an operation and names with values; a secret may have separators in it. */
type Expected = 'anything' | 'operation' | 'name' | 'value' | 'secret' | 'rest of a secret' | 'rest of a pair';

/** What to show in place of a word; undefined where it is shown, but for what has the shape of a key. */
function markSecrets(words: readonly Word[]): ReadonlyArray<string | undefined> {
  const marks = words.map(withoutUser);
  const textAt = (index: number): string => words[index]?.text ?? '';
  const couldBeKey = (index: number): boolean => nearlyKey.test(textAt(index));
  const isVersion = (index: number): boolean => /^v\d+$/.test(textAt(index)) && /\bapi$/.test(textAt(index - 1));
  let expected: Expected = 'anything';
  let isNearCall = false;
  let hasKey = false;

  /** Where nothing is known yet: a call begins, or a pair of a query. */
  function readAnything(index: number): Expected {
    const text = textAt(index);
    if (text.startsWith('shorturl')) {
      isNearCall = true;
      const distance = [1, 2, 3, 4].find((length) => isVersion(index - length));
      const start = index + 1 - (distance ?? (couldBeKey(index - 1) ? 2 : 1));
      marks.fill(hidden, start, index);
      // Without a key or a version in front it may be a word of the host's.
      return distance !== undefined || start < index || hasKey ? 'operation' : 'anything';
    }
    if (isVersion(index) && couldBeKey(index + 1)) {
      isNearCall = true;
      marks[index + 1] = hidden;
    }
    if (isNearCall && text === 'password') return 'secret';
    const [, name = '', value = ''] = /^(password|key|api_?key)=(.*)/s.exec(text) ?? [];
    if (name !== 'password' && !nearlyKey.test(value)) return 'anything';
    marks[index] = `${name}=${hidden}`;
    return 'rest of a pair';
  }

  function read(index: number, state: Expected): Expected {
    const text = textAt(index);
    if (state === 'anything') return readAnything(index);
    if (state === 'operation' && couldBeKey(index)) marks[index] = hidden;
    if ((state === 'operation' || state === 'value') && !/^(password|key)(=|$)/.test(text)) return 'name';
    if (state !== 'secret' && state !== 'rest of a pair') {
      if (harmless.has(text)) return 'value';
      if (state !== 'rest of a secret' && (text === 'password' || text === 'key')) return 'secret';
    }
    marks[index] = hidden;
    return state === 'rest of a pair' ? state : 'rest of a secret';
  }

  for (const [index, {separator, part}] of words.entries()) {
    hasKey ||= decode(part).search(keys) !== -1;
    const ends = expected === 'rest of a pair' ? /[&#]/ : /[?#]/;
    if (!expected.endsWith('secret') && ends.test(separator)) expected = 'anything';
    expected = read(index, expected);
  }
  return marks;
}

/** What stands before the at sign of an authority is hidden. */
function withoutUser({part, separator}: Word): string | undefined {
  const host = /[/\\]{2}$/.test(separator) ? /^.*(?:@|%(?:25)*40)(.*)/is.exec(part)?.[1] : undefined;
  return host === undefined ? undefined : `${hidden}@${host}`;
}

/** A word that was escaped is hidden as a whole, so that nothing is put into the log that was not in the URL. */
function withoutKeys(part: string): string {
  const text = decode(part);
  if (text.search(keys) === -1) return part;
  return text === part ? part.replace(keys, hidden) : hidden;
}

/** Undoes escapes of ASCII, however often it was escaped; what is malformed stays as it is. */
function decode(text: string): string {
  let decoded = text;
  for (let depth = 0; depth < deepest; depth++) {
    const next = decoded.replaceAll(/%([0-7][\da-f])/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
    if (next === decoded) return next;
    decoded = next;
  }
  return decoded;
}

const deepest = 5;
