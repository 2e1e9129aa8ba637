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

/** More than a table of MySQL can have. */
const maxColumns = 5000;

/** How many tokens of a value are kept: one more than a readable value has. */
const maxItem = 5;

const indexWords = /^(?:primary|key|unique|index|fulltext|spatial|constraint|foreign|check|period)$/i;

/** Reads a part of a statement, token by token, and gives the rows that they complete. */
type Reading<Result = void> = Generator<SqlRow | undefined, Result, Token>;

/** Finds the rows of one table in a MySQL dump while its text is read. */
export class SqlRows {
  readonly #tokens = new SqlTokens();
  readonly #wanted: (table: string) => boolean;
  /** The first token of the statement that is being read. */
  #first: Token | undefined;
  #statement: Reading | undefined;
  /** The table's columns in the order in which it was created. */
  #defined: readonly string[] | undefined;
  /** The table whose rows are read. */
  table: string | undefined;

  /** @param wanted whether the table with this name is wanted */
  constructor(wanted: (table: string) => boolean) {
    this.#wanted = wanted;
  }

  /**
   * The rows that this text completes.
   *
   * @throws ToolError `malformed_file` for a statement that cannot be read, or that has no end
   */
  feed(text: string, isEnd = false): SqlRow[] {
    const rows: SqlRow[] = [];
    for (const token of this.#tokens.feed(text, isEnd)) {
      if (isSign(token, ';')) this.#first = undefined;
      else if (this.#first === undefined) {
        // Such as the delimiter of a trigger.
        if (token.kind === 'sign') continue;
        this.#first = token;
        this.#statement = this.#read(token.text.toLowerCase());
        this.#statement.next();
      } else {
        const row = this.#statement?.next(token).value;
        if (row) rows.push(row);
      }
    }
    if (!isEnd || this.#first === undefined) return rows;
    const message = `The dump is incomplete: the statement in line ${this.#first.line} does not end with a semicolon`;
    throw new ToolError('malformed_file', message);
  }

  *#read(verb: string): Reading {
    const isInsert = verb === 'insert' || verb === 'replace';
    if (!isInsert && verb !== 'create') return;
    let name: string | undefined;
    let token = yield;
    const isRest = (words: RegExp): boolean => name !== undefined && isWord(token, words);
    while (!isSign(token, '(') && !isRest(/^values?$/i) && !(isInsert && isRest(/^(?:select|with|table|set)$/i))) {
      if (token.kind !== 'sign') name = token.text;
      token = yield;
    }
    // A table name may have a database name and a dot before it.
    const table = name?.split('.').at(-1) ?? '';
    if (!this.#wanted(table)) return;
    this.table ??= table;
    if (this.table !== table) {
      const message = `The dump has links in ${this.table} and in ${table}. Name the table to import`;
      throw new ToolError('malformed_file', message);
    }
    if (!isInsert) this.#defined = yield* definedColumns();
    else if (isSign(token, '(')) yield* rowsOf(yield* namedColumns());
    else if (isWord(token, /^values?$/i)) yield* rowsOf(this.#defined);
    else throw noValues(token);
  }
}

function isSign({kind, text}: Token, sign: string): boolean {
  return kind === 'sign' && text === sign;
}

/** A name may be in any quotation marks: a dump in ANSI mode has double ones. */
function isWord({kind, text}: Token, words: RegExp): boolean {
  return kind === 'word' && words.test(text);
}

/** The columns of a new table. The definition of a column begins with its name, that of an index with a keyword. */
function* definedColumns(): Reading<readonly string[]> {
  const columns: string[] = [];
  let isFirst = true;
  for (let depth = 1; depth > 0;) {
    const token = yield;
    if (isSign(token, '(')) depth += 1;
    else if (isSign(token, ')')) depth -= 1;
    else if (isSign(token, ',') && depth === 1) isFirst = true;
    else {
      if (isFirst && !isWord(token, indexWords)) add(columns, token.text, token);
      isFirst = false;
    }
  }
  return columns;
}

/** The columns that a statement names before its rows. */
function* namedColumns(): Reading<readonly string[]> {
  const columns: string[] = [];
  for (;;) {
    const token = yield;
    if (isWord(token, /^values?$/i)) return columns;
    if (isWord(token, /^select$/i)) throw noValues(token);
    if (token.kind !== 'sign') add(columns, token.text, token);
  }
}

/** The rows up to a clause after them, such as `on duplicate key update url = values(url)`. */
function* rowsOf(columns: readonly string[] | undefined): Reading {
  let row: SqlRow | undefined;
  for (;;) {
    const token = yield row;
    row = undefined;
    if (token.kind === 'word' && !isWord(token, /^row$/i)) return;
    if (isSign(token, '(')) row = {line: token.line, columns, values: yield* valuesOf()};
  }
}

function* valuesOf(): Reading<readonly SqlValue[]> {
  const values: SqlValue[] = [];
  let item: Token[] = [];
  for (let depth = 1; depth > 0;) {
    const token = yield;
    if (isSign(token, '(')) depth += 1;
    if (isSign(token, ')')) depth -= 1;
    if (depth === 0 || (depth === 1 && isSign(token, ','))) {
      add(values, valueOf(item), token);
      item = [];
    } else if (item.length < maxItem) item.push(token);
  }
  return values;
}

function add<Item>(items: Item[], item: Item, {line}: Token): void {
  if (items.push(item) <= maxColumns) return;
  throw new ToolError('malformed_file', `Line ${line}: a table has more than ${maxColumns} columns`);
}

/** For `insert … set` and `insert … select`, which no program for dumps writes. */
function noValues({line}: Pick<Token, 'line'>): ToolError {
  const message = `Line ${line}: the statement has no list of values. Dump the table with its rows, as mysqldump does`;
  return new ToolError('malformed_file', message);
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
