import {ToolError} from '../../tool-error.ts';

/** A part of a statement. A name in backquotes is a `name`; a keyword, a name without quotes and a number are a `word`. */
export interface Token {
  readonly kind: 'word' | 'name' | 'string' | 'sign';
  readonly text: string;
  readonly line: number;
}

/** The maximum number of characters of a token. In a longer one a quotation mark is not closed. */
const maxToken = 8 * 1024 * 1024;

/** White space, a comment, which may have statements, a word, or any other character. */
const pattern = /[\0- \u00A0\uFEFF]+|(?:#|--)[^\n]*|\/\*[^]*?\*\/|[\w$.\u0080-\uFFFF]+|[^]/y;

/** What ends a quoted token, or is doubled or escaped inside, by its quotation mark. */
const marks: ReadonlyMap<string, RegExp> = new Map([
  ["'", /['\\]/g],
  ['"', /["\\]/g],
  ['`', /`/g],
]);

const escapes: Readonly<Record<string, string>> = {'0': '\0', b: '\b', n: '\n', r: '\r', t: '\t', Z: '\x1A'};

/** Splits the text of a MySQL dump into tokens while it is read. */
export class SqlTokens {
  #rest = '';
  /** The length from which the rest is searched again: twice as much, so that a long token takes linear time. */
  #wanted = 0;
  #line = 1;

  /**
   * The tokens that this text completes.
   *
   * @throws ToolError `malformed_file`
   */
  *feed(text: string, isEnd: boolean): Generator<Token> {
    const all = this.#rest + text;
    if (!isEnd && all.length < this.#wanted) {
      this.#rest = all;
      return;
    }
    let start = 0;
    while (start < all.length) {
      const end = endOf(all, start);
      // More of a token at the end may follow.
      if (end === undefined || (end === all.length && !isEnd)) break;
      const found = all.slice(start, end);
      const token = toToken(found, this.#line);
      if (token) yield token;
      for (let at = found.indexOf('\n'); at !== -1; at = found.indexOf('\n', at + 1)) this.#line += 1;
      start = end;
    }
    this.#rest = all.slice(start);
    this.#wanted = Math.min(2 * this.#rest.length, maxToken);
    if (this.#rest.length > maxToken || (isEnd && this.#rest !== '')) {
      const message = `The dump cannot be read from line ${this.#line} on. Look for an unclosed quotation mark`;
      throw new ToolError('malformed_file', message);
    }
  }
}

/** Where the token that begins at `start` ends; undefined if it has no end. */
function endOf(text: string, start: number): number | undefined {
  const mark = marks.get(text.charAt(start));
  if (mark === undefined) {
    pattern.lastIndex = start;
    pattern.test(text);
    const end = pattern.lastIndex;
    return end === start + 1 && text.startsWith('/*', start) ? undefined : end;
  }
  mark.lastIndex = start + 1;
  while (mark.test(text)) {
    const end = mark.lastIndex;
    const isEscape = text.charAt(end - 1) === '\\';
    if (!isEscape && text.charAt(end) !== text.charAt(start)) return end;
    mark.lastIndex = end + 1;
  }
  return undefined;
}

/** Undefined for white space and comments. */
function toToken(found: string, line: number): Token | undefined {
  const [first = ''] = found;
  if (/^[\w$.\u0080-\u009F\u00A1-\uFEFE\uFF00-\uFFFF]/.test(found)) return {kind: 'word', text: found, line};
  if (!marks.has(first))
    return found.length > 1 || /^[\0- #\u00A0\uFEFF]/.test(found) ? undefined : {kind: 'sign', text: found, line};
  const inside = found.slice(1, -1);
  if (first === '`') return {kind: 'name', text: inside.replaceAll('``', first), line};
  if (!inside.includes('\\') && !inside.includes(first)) return {kind: 'string', text: inside, line};
  const text = inside.replaceAll(first === "'" ? /\\([^])|''/g : /\\([^])|""/g, (_, escaped?: string) =>
    escaped === undefined ? first : (escapes[escaped] ?? escaped),
  );
  return {kind: 'string', text, line};
}
