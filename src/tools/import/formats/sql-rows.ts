import {ToolError} from '../../tool-error.ts';
import {SqlTokens, type Token} from './sql-tokens.ts';
import {expression} from '../../../tables/cells.ts';

export type SqlValue = string | null | typeof expression;

/** A row of a table, and its first line. A value that is no literal is `expression`. */
export interface SqlRow {
  readonly line: number;
  /** The columns, if the dump names them. */
  readonly columns: readonly string[] | undefined;
  readonly values: readonly SqlValue[];
}

/** The current part: the beginning of a statement, the columns of a table, its rows, or a part to skip. */
type State = 'head' | 'definition' | 'columns' | 'rows' | 'skip';

/** More than a table of MySQL can have. */
const maxColumns = 5000;

/** How many tokens of a value are kept: one more than a readable value has. */
const maxItem = 5;

const indexWords = /^(?:primary|key|unique|index|fulltext|spatial|constraint|foreign|check|period)$/i;

/** Finds the rows of one table in a MySQL dump while its text is read. */
export class SqlRows {
  readonly #tokens = new SqlTokens();
  readonly #wanted: (table: string) => boolean;
  #state: State = 'head';
  #head: Token[] = [];
  #depth = 0;
  /** The table's columns in the order in which it was created. */
  #defined: string[] | undefined;
  /** The columns that the statement names. */
  #named: string[] | undefined;
  #item: Token[] = [];
  #values: SqlValue[] = [];
  #line = 0;
  /** The table whose rows are read. */
  table: string | undefined;

  /** @param wanted whether the table with this name is wanted */
  constructor(wanted: (table: string) => boolean) {
    this.#wanted = wanted;
  }

  feed(text: string): SqlRow[] {
    return this.#tokens.feed(text).flatMap((token) => this.#read(token) ?? []);
  }

  /** @throws ToolError `malformed_file` if the last statement has no end */
  end(): SqlRow[] {
    const rows = this.#tokens.end().flatMap((token) => this.#read(token) ?? []);
    if (this.#state === 'head' && this.#head.length === 0) return rows;
    const message = `The dump is incomplete: the statement in line ${this.#head[0]?.line} does not end with a semicolon`;
    throw new ToolError('malformed_file', message);
  }

  #read(token: Token): SqlRow | undefined {
    const {kind, text} = token;
    if (kind === 'sign' && text === ';') {
      this.#state = 'head';
      this.#head = [];
      this.#depth = 0;
    } else if (this.#state === 'head') this.#readHead(token);
    else if (this.#state === 'definition') this.#readDefinition(token);
    else if (this.#state === 'columns') this.#readColumn(token);
    else if (this.#state === 'rows') return this.#readValue(token);
    return undefined;
  }

  /** Reads up to the first bracket, or to the keyword before the rows. */
  #readHead(token: Token): void {
    const isBracket = token.kind === 'sign' && token.text === '(';
    const verb = this.#head[0]?.text.toLowerCase();
    const isInsert = verb === 'insert' || verb === 'replace';
    const isWord = token.kind === 'word' && this.#head.length > 1;
    const isValues = isWord && /^values?$/i.test(token.text);
    const isOther = isWord && isInsert && /^(?:select|with|table|set)$/i.test(token.text);
    if (!isBracket && !isValues && !isOther) {
      // A table name may have a database name and a dot before it.
      // Only the first and the last one matter.
      if (token.kind !== 'sign') this.#head[Math.min(this.#head.length, 1)] = token;
      return;
    }
    const table = this.#head.at(-1)?.text.split('.').at(-1) ?? '';
    if (!(isInsert || verb === 'create') || !this.#wanted(table)) {
      this.#state = 'skip';
      return;
    }
    this.#choose(table);
    this.#depth = isBracket ? 1 : 0;
    this.#item = [];
    this.#named = undefined;
    if (verb === 'create') {
      this.#defined = [];
      this.#state = 'definition';
    } else {
      if (isOther) throw noValues(token);
      if (!isValues) this.#named = [];
      this.#state = isBracket ? 'columns' : 'rows';
    }
  }

  #choose(table: string): void {
    this.table ??= table;
    if (this.table === table) return;
    const message = `The dump has links in ${this.table} and in ${table}. Name the table to import`;
    throw new ToolError('malformed_file', message);
  }

  /** The definition of a column begins with its name, that of an index with a keyword. */
  #readDefinition(token: Token): void {
    const {kind, text} = token;
    if (kind === 'sign' && text === '(') this.#depth += 1;
    else if (kind === 'sign' && text === ')') this.#depth -= 1;
    else if (kind === 'sign' && text === ',' && this.#depth === 1) this.#item = [];
    else {
      const isFirst = this.#item.length === 0 && this.#depth === 1;
      if (isFirst && !(kind === 'word' && indexWords.test(text))) this.#defined?.push(text);
      this.#item[0] = token;
      if ((this.#defined?.length ?? 0) > maxColumns) throw tooMany(token);
    }
    if (this.#depth === 0) this.#state = 'skip';
  }

  #readColumn({kind, text, line}: Token): void {
    // A dump in ANSI mode has its names in double quotation marks.
    if (kind === 'word' && /^values?$/i.test(text)) this.#state = 'rows';
    else if (kind === 'word' && /^select$/i.test(text)) throw noValues({line});
    else if (kind !== 'sign') this.#named?.push(text);
    if ((this.#named?.length ?? 0) > maxColumns) throw tooMany({line});
    this.#depth = 0;
  }

  #readValue(token: Token): SqlRow | undefined {
    const {kind, text, line} = token;
    const sign = kind === 'sign' ? text : '';
    if (this.#depth === 0) {
      // A clause after the rows, such as `on duplicate key update url = values(url)`.
      if (kind === 'word' && !/^row$/i.test(text)) this.#state = 'skip';
      if (sign !== '(') return undefined;
      this.#depth = 1;
      this.#line = line;
      this.#values = [];
      this.#item = [];
      return undefined;
    }
    if (sign === '(') this.#depth += 1;
    if (sign === ')') this.#depth -= 1;
    if ((sign === ',' && this.#depth === 1) || this.#depth === 0) {
      this.#values.push(valueOf(this.#item));
      this.#item = [];
      if (this.#values.length > maxColumns) throw tooMany(token);
    } else if (this.#item.length < maxItem) this.#item.push(token);
    if (this.#depth > 0) return undefined;
    return {line: this.#line, columns: this.#named ?? this.#defined, values: this.#values};
  }
}

/** For `insert … set` and `insert … select`, which no program for dumps writes. */
function noValues({line}: Pick<Token, 'line'>): ToolError {
  const message = `Line ${line}: the statement has no list of values. Dump the table with its rows, as mysqldump does`;
  return new ToolError('malformed_file', message);
}

function tooMany({line}: Pick<Token, 'line'>): ToolError {
  return new ToolError('malformed_file', `Line ${line}: a table has more than ${maxColumns} columns`);
}

/**
 * The value of a literal; `expression` for any other one. A text may come after the name of its character set
 * (`_utf8mb4'…'`) or of its type (`TIMESTAMP '…'`, `{ts '…'}`, `X'…'`).
 */
function valueOf(tokens: readonly Token[]): SqlValue {
  const inner = tokens[0]?.text === '{' && tokens.at(-1)?.text === '}' ? tokens.slice(1, -1) : tokens;
  const [first, second] = inner;
  if (inner.length === 1 && first?.kind === 'string') return first.text;
  if (inner.length === 2 && first?.kind === 'word' && second?.kind === 'string') {
    // The value of a `bit`.
    if (/^_binary$/i.test(first.text) && ['\0', '\u0001'].includes(second.text))
      return String(second.text.charCodeAt(0));
    if (/^(?:_\w+|n|date|time|timestamp|d|t|ts)$/i.test(first.text)) return second.text;
    if (/^b$/i.test(first.text)) return fromBits(second.text);
    return /^x$/i.test(first.text) ? fromHex(second.text) : expression;
  }
  if (inner.length === 2 && first?.text === '-' && second?.kind === 'word') return `-${second.text}`;
  if (inner.length !== 1 || first?.kind !== 'word') return expression;
  if (/^null$/i.test(first.text)) return null;
  if (/^0x/i.test(first.text)) return fromHex(first.text.slice(2));
  if (/^0b/i.test(first.text)) return fromBits(first.text.slice(2));
  return /^(?:[\d.]+|true|false)$/i.test(first.text) ? first.text : expression;
}

function fromHex(digits: string): SqlValue {
  return /^(?:[\da-f]{2})*$/i.test(digits) ? Buffer.from(digits, 'hex').toString() : expression;
}

/** A column of the type `bit`. */
function fromBits(digits: string): SqlValue {
  return /^[01]{1,32}$/.test(digits) ? String(Number.parseInt(digits, 2)) : expression;
}
