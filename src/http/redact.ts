const hidden = '[redacted]';

/** What stands between the words of a URL: as it is and percent-encoded, however often. */
const separators = /((?:[/\\?#&]|%(?:25)*(?:2F|5C|3F|23|26))+)/i;

/** Keys are longer; a word that could be one is hidden whatever follows it. */
const shortestKey = 20;

/** Parameters whose value anybody may read. */
const harmless: ReadonlySet<string> = new Set([
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
 * and asks little else of the text, so that a mistyped call gives nothing away either: of a call's parameters it leaves
 * those that it knows to be harmless. Any other URL stays as it is, but for what a user logs in with (`user:password@`)
 * and for a `password` or a key in its query.
 *
 * @example
 * redactUrl('/api/v1/Vt…3k/shorturl/create/password/s3cret/url/aHR0…')
 * // '/api/v1/[redacted]/shorturl/create/password/[redacted]/url/aHR0…'
 */
export function redactUrl(url: string): string {
  return new Redaction(url).run();
}

class Redaction {
  /** Words stand at even places, the separators between them at odd ones. */
  readonly #parts: string[];
  /** Where those words stand that count: servers and proxies take dots out of a path. */
  readonly #places: readonly number[];
  /** What they mean, in lower case. */
  readonly #words: readonly string[];

  constructor(url: string) {
    this.#parts = url.split(separators);
    const words = Array.from(this.#parts, (part, index) => [index, decode(part).toLowerCase()] as const).filter(
      ([index, word]) => index % 2 === 0 && !/^\.{0,2}$/.test(word),
    );
    this.#places = words.map(([index]) => index);
    this.#words = words.map(([, word]) => word);
  }

  run(): string {
    let isCall = false;
    for (let at = 0; at < this.#words.length;) {
      const word = this.#word(at);
      this.#hideUser(at);
      if (word.startsWith('shorturl')) {
        const start = this.#startOfKey(at);
        if (start !== undefined) this.#hide(start, at);
        isCall = true;
        // Without a key in front of it, it may be a word of the host's.
        at = start === undefined ? at + 1 : this.#readCall(at + 1);
      } else if (this.#isVersion(at) && this.#couldBeKey(at + 1)) {
        this.#hide(at + 1, at + 2);
        isCall = true;
        at += 2;
      } else if (isCall && word === 'password') at = this.#hideParameter(at + 1, at + 2);
      else at = this.#readQuery(at);
    }
    return this.#parts.join('');
  }

  /** Where the key begins in front of this word, also one with slashes in it; undefined if there is none. */
  #startOfKey(service: number): number | undefined {
    const version = [2, 3, 4].find((distance) => this.#isVersion(service - distance));
    if (version !== undefined) return service - version + 1;
    return this.#couldBeKey(service - 1) ? service - 1 : undefined;
  }

  /** @returns where the call ends: the first word of a query, or the end */
  #readCall(operation: number): number {
    let at = this.#isSecret(operation) || this.#beginsQuery(operation) ? operation : operation + 1;
    while (at < this.#words.length && !this.#beginsQuery(at)) {
      if (this.#word(at) === 'password' || this.#word(at) === 'key') at = this.#hideParameter(at + 1, at + 2);
      else if (!this.#isHarmless(at)) at = this.#hideParameter(at, at + 1);
      else at += this.#isSecret(at + 1) || this.#beginsQuery(at + 1) ? 1 : 2;
    }
    return at;
  }

  /** Hides a value, whatever separators were left in it: it ends where a harmless parameter begins. */
  #hideParameter(start: number, least: number): number {
    let end = least;
    while (end < this.#words.length && !this.#isHarmless(end)) end++;
    this.#hide(start, end);
    return end;
  }

  /** @returns the word behind this one, and behind its value if it had to be hidden */
  #readQuery(at: number): number {
    const [, name = '', value = ''] = /^(password|key|api_?key)=(.*)/s.exec(this.#word(at)) ?? [];
    if (name !== 'password' && value.length < shortestKey) return at + 1;
    let end = at + 1;
    while (end < this.#words.length && !/[&#]/.test(this.#separator(end))) end++;
    this.#hide(at, end, `${name}=${hidden}`);
    return end;
  }

  /** What stands before the at sign of an authority. */
  #hideUser(at: number): void {
    const index = this.#places[at] ?? 0;
    const host = /^.*(?:@|%(?:25)*40)(.*)/is.exec(this.#parts[index] ?? '')?.[1];
    if (host !== undefined && /[/\\]{2}$/.test(this.#separator(at))) this.#parts[index] = `${hidden}@${host}`;
  }

  #hide(start: number, end: number, text = hidden): void {
    const first = this.#places[start];
    const last = this.#places[end - 1];
    if (first === undefined || last === undefined) return;
    this.#parts.fill('', first, last + 1);
    this.#parts[first] = text;
  }

  #isVersion(at: number): boolean {
    return /^v\d+$/.test(this.#word(at)) && /\bapi$/.test(this.#word(at - 1));
  }

  #couldBeKey(at: number): boolean {
    return this.#word(at).length >= shortestKey;
  }

  #isHarmless(at: number): boolean {
    return harmless.has(this.#word(at));
  }

  #isSecret(at: number): boolean {
    return /^(password|key)(=|$)/.test(this.#word(at));
  }

  #beginsQuery(at: number): boolean {
    return /[?#]/.test(this.#separator(at));
  }

  /** Nothing, which means nothing, where there is no such word. */
  #word(at: number): string {
    return this.#words[at] ?? '';
  }

  /** What stands before a word, dots of the path included. */
  #separator(at: number): string {
    const index = this.#places[at] ?? 0;
    return decode(this.#parts.slice((this.#places[at - 1] ?? -1) + 1, index).join(''));
  }
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
