import type {ShortUrlError} from '../errors.ts';
import type {Format} from './call.ts';

type Scalar = string | number | boolean | null;

/** An object in a list. Its fields are single values, lists with a plural name, or objects with a singular one. */
export interface Item {
  readonly [field: string]: Scalar | undefined | List | Item;
}

type List = ReadonlyArray<string | Item>;

/** Lists of objects by name. XML has one list of rows for them, and the name is the first field of each row. */
type ListsByName = Readonly<Record<string, readonly Item[]>>;

/**
 * The `data` of an answer: single values, lists with a plural name, and objects with a singular one. Undefined values are
 * left out.
 */
export type Data = Readonly<Record<string, Scalar | undefined | Item | List | ListsByName>>;

/** An answer of the API before it is written as JSON or XML. */
export interface Envelope {
  readonly code: number;
  readonly data: Data;
}

const declaration = '<?xml version="1.0" encoding="UTF-8"?>';

interface Writer {
  readonly separator: string;
  readonly envelope: (envelope: Envelope) => string;
  readonly item: (list: string, item: Item) => string;
}

const json: Writer = {
  separator: ',',
  envelope: ({code, data}) => JSON.stringify({code, data}),
  item: (_list, item) => JSON.stringify(item),
};

/** Most sites never answer in XML, so its package is loaded for the first answer. */
async function xmlWriter(): Promise<Writer> {
  const {default: XMLBuilder} = await import('fast-xml-builder');
  const builder = new XMLBuilder({ignoreAttributes: false});
  // Some characters are illegal in XML even when escaped, and a message of the host may have them.
  const build = (content: object): string =>
    builder.build(content).replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');
  return {
    separator: '',
    envelope: ({code, data}) => declaration + build({response: {code, data: toElements(data)}}),
    item: (list, item) => build({[singular(list)]: toElements(item)}),
  };
}

let xml: Promise<Writer> | undefined;

/** What writes envelopes in a format, once its package is loaded. */
export async function writerOf(format: Format): Promise<Writer> {
  return format === 'json' ? json : (xml ??= xmlWriter());
}

function toElements(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toElement(name, value)]));
}

/** An object with a plural name has lists by name. */
function toElement(name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value) && !name.endsWith('s')) return toElements(value);
  const items = Array.isArray(value) ? (value as List) : toRows(value as ListsByName);
  return {[singular(name)]: items.map((item) => (typeof item === 'string' ? item : toElements(item)))};
}

function toRows(lists: ListsByName): Item[] {
  return Object.entries(lists).flatMap(([name, items]) => items.map((item) => ({name, ...item})));
}

/** The XML element of an item: the list `urls` has `url` elements. */
function singular(name: string): string {
  return name.slice(0, -1);
}

export function contentType(format: Format): string {
  return `application/${format}; charset=utf-8`;
}

export async function writeEnvelope(envelope: Envelope, format: Format): Promise<string> {
  return (await writerOf(format)).envelope(envelope);
}

/** A list that is written while it is read, so that it is never in memory as a whole. */
export interface Stream {
  /** The field of `data` that has the list. The envelope itself has it empty. */
  readonly name: string;
  readonly chunks: AsyncIterable<readonly Item[]>;
}

export async function* streamEnvelope(
  {code, data}: Envelope,
  {name, chunks}: Stream,
  format: Format,
): AsyncGenerator<string> {
  const {envelope, item, separator} = await writerOf(format);
  // A placeholder marks the position of the items in either format.
  const placeholder = {placeholder: ''};
  const [head = '', tail = ''] = envelope({code, data: {...data, [name]: [placeholder]}}).split(
    item(name, placeholder),
  );
  yield head;
  let isFirst = true;
  for await (const items of chunks) {
    if (items.length === 0) continue;
    yield (isFirst ? '' : separator) + items.map((next) => item(name, next)).join(separator);
    isFirst = false;
  }
  yield tail;
}

/** A picture that is answered without an envelope. */
export interface Picture {
  readonly type: string;
  readonly content: string | Buffer;
}

export interface Answer {
  readonly envelope: Envelope;
  readonly format: Format;
  /** The items of the envelope's list, if the list may be long. */
  readonly stream?: Stream | undefined;
  /** Answered instead of the envelope. */
  readonly picture?: Picture | undefined;
  /** Why the call failed; undefined for a success. */
  readonly error?: ShortUrlError;
  /** For the header of that name, of an answer with 405. */
  readonly allow?: string;
}
