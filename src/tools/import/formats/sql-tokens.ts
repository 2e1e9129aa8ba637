import {ToolError} from '../../tool-error.ts';

/** A part of a statement. A name in backquotes is a `name`; a keyword, a name without quotes and a number are a `word`. */
export interface Token {
  readonly kind: 'word' | 'name' | 'string' | 'sign';
  readonly text: string;
  readonly line: number;
}

/** The maximum number of characters of a token. In a longer one a quotation mark is not closed. */
const maxToken = 8 * 1024 * 1024;

const escapes: Readonly<Record<string, string>> = {'0': '\0', b: '\b', n: '\n', r: '\r', t: '\t', Z: '\x1A'};

/** Splits the text of a MySQL dump into tokens while it is read. It skips comments, also those with statements. */
export class SqlTokens {
  #rest = '';
  /** Up to where the unfinished token at the beginning of the rest was scanned, so that it is scanned once. */
  #scanned = 0;
  #line = 1;

  /** The tokens that this text completes. */
  feed(text: string): Token[] {
    return this.#take(this.#rest + text, false);
  }

  /** The tokens that the end of the text completes. */
  end(): Token[] {
    return this.#take(this.#rest, true);
  }

  #take(text: string, isEnd: boolean): Token[] {
    const tokens: Token[] = [];
    let start = 0;
    // Kept from token to token, because a search from each of them would reach to the end of the text.
    let lineEnd = text.indexOf('\n');
    while (start < text.length) {
      const {end, scanned} = endOf(text, start, start === 0 ? this.#scanned : start, isEnd);
      this.#scanned = Math.max(0, scanned - start);
      if (end === undefined) break;
      this.#scanned = 0;
      const token = this.#toToken(text, start, end);
      if (token) tokens.push(token);
      for (; lineEnd !== -1 && lineEnd < end; lineEnd = text.indexOf('\n', lineEnd + 1)) this.#line += 1;
      start = end;
    }
    this.#rest = text.slice(start);
    if (this.#rest !== '' && (isEnd || this.#rest.length > maxToken)) {
      const message = `The dump cannot be read from line ${this.#line} on. Look for an unclosed quotation mark`;
      throw new ToolError('malformed_file', message);
    }
    return tokens;
  }

  #toToken(text: string, start: number, end: number): Token | undefined {
    const line = this.#line;
    const first = text.charAt(start);
    if (first === "'" || first === '"')
      return {kind: 'string', text: unquote(text.slice(start + 1, end - 1), first), line};
    if (first === '`') return {kind: 'name', text: text.slice(start + 1, end - 1).replaceAll('``', '`'), line};
    if (isWord(text.charCodeAt(start))) return {kind: 'word', text: text.slice(start, end), line};
    return isSpace(text.charCodeAt(start)) || end - start > 1 ? undefined : {kind: 'sign', text: first, line};
  }
}

/** The end of a token; undefined if more text is needed. A token without an end is scanned from `scanned` on then. */
interface Scan {
  readonly end: number | undefined;
  readonly scanned: number;
}

/** Finds the end of the token, comment or white space at a position. */
function endOf(text: string, start: number, scanned: number, isEnd: boolean): Scan {
  const first = text.charAt(start);
  const next = text.charAt(start + 1);
  const from = Math.max(start + 1, scanned);
  if (first === "'" || first === '"' || first === '`') return endOfQuoted(text, from, first, isEnd);
  if (isSpace(text.charCodeAt(start))) return found(runEnd(text, from, isSpace));
  if ((first === '-' || first === '/') && next === '' && !isEnd) return {end: undefined, scanned: start};
  if (first === '#' || (first === '-' && next === '-')) return after(text, '\n', from, isEnd);
  if (first === '/' && next === '*') return after(text, '*/', Math.max(start + 2, scanned), false);
  if (!isWord(text.charCodeAt(start))) return found(start + 1);
  const end = runEnd(text, from, isWord);
  return end === text.length && !isEnd ? {end: undefined, scanned: end} : found(end);
}

const found = (end: number): Scan => ({end, scanned: end});

function after(text: string, mark: string, from: number, isEnd: boolean): Scan {
  const at = text.indexOf(mark, from);
  if (at !== -1) return found(at + mark.length);
  return isEnd ? found(text.length) : {end: undefined, scanned: Math.max(from, text.length - mark.length + 1)};
}

/** Finds the closing quotation mark. A mark in the text is doubled or has a backslash before it. */
function endOfQuoted(text: string, from: number, mark: string, isEnd: boolean): Scan {
  let at = from;
  for (; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\' && mark !== '`') at += 1;
    else if (character === mark) {
      if (at + 1 === text.length && !isEnd) return {end: undefined, scanned: at};
      if (text.charAt(at + 1) !== mark) return found(at + 1);
      at += 1;
    }
  }
  // One more than the length if a backslash is the last character: the next one is escaped.
  return {end: undefined, scanned: at};
}

function runEnd(text: string, from: number, belongs: (code: number) => boolean): number {
  let end = from;
  while (end < text.length && belongs(text.charCodeAt(end))) end += 1;
  return end;
}

function isSpace(code: number): boolean {
  return code <= 32 || code === 0xa0 || code === 0xfeff;
}

/** Characters of numbers and of names without quotes. */
function isWord(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 95 ||
    code === 36 ||
    code === 46 ||
    code > 127
  );
}

function unquote(text: string, mark: string): string {
  const once = text.includes(mark + mark) ? undouble(text, mark) : text;
  return once.includes('\\') ? once.replaceAll(/\\([^])/g, (_, escaped: string) => escapes[escaped] ?? escaped) : once;
}

/** Replaces escapes. A doubled mark after a backslash cannot occur, because the second mark would end the text. */
function undouble(text: string, mark: string): string {
  return text.replaceAll(mark === "'" ? /\\[^]|''/g : /\\[^]|""/g, (found) => (found === mark + mark ? mark : found));
}
