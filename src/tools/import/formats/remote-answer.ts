import {isMembers} from '../../../values/objects.ts';
import {type Fields, JsonDepth} from './json-records.ts';

/** A response of a site with this API. */
export interface RemoteAnswer {
  readonly code: number;
  /** In XML every value is a text. */
  readonly data: Fields;
}

/** Parses a response; undefined if it is malformed. */
export async function readAnswer(body: string, isXml: boolean): Promise<RemoteAnswer | undefined> {
  const envelope = isXml ? await parseXml(body) : parseJson(body);
  if (!isMembers(envelope)) return undefined;
  const {code, data} = envelope;
  const status = typeof code === 'string' || typeof code === 'number' ? Number(code) : Number.NaN;
  return Number.isInteger(status) && isMembers(data) ? {code: status, data} : undefined;
}

function parseJson(body: string): unknown {
  try {
    new JsonDepth().feed(body);
    return JSON.parse(body.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** Lists in a response, by the path of elements to their items. */
const lists = new Set(
  ['tags.tag', 'rules.rule'].flatMap((list) => [`response.data.urls.url.${list}`, `response.data.${list}`]),
).add('response.data.urls.url');

async function parseXml(body: string): Promise<unknown> {
  // The parser takes the beginning of a document for a whole one.
  if (!/<\/response>\s*$/.test(body)) return undefined;
  const {XMLParser} = await import('fast-xml-parser');
  const parser = new XMLParser({
    // Characters by their numbers, too.
    // oxlint-disable-next-line typescript/no-deprecated -- its successor is a decoder of its own package
    htmlEntities: true,
    ignoreAttributes: true,
    ignoreDeclaration: true,
    isArray: (_name, path) => lists.has(String(path)),
    // More than in any answer of the API.
    maxNestedTags: 64,
    parseTagValue: false,
    trimValues: false,
  });
  try {
    // A second document type is an error. That of an answer may define entities without end.
    const document: unknown = parser.parse(`<!DOCTYPE response>${body}`);
    return isMembers(document) ? document['response'] : undefined;
  } catch {
    return undefined;
  }
}

/** The items of a list: in JSON an array, in XML an element with an element for each, or without any. */
export function itemsOf(list: unknown, name: string): readonly unknown[] | undefined {
  if (Array.isArray(list)) return list as unknown[];
  if (isMembers(list)) return Array.isArray(list[name]) ? (list[name] as unknown[]) : [];
  return typeof list === 'string' && list.trim() === '' ? [] : undefined;
}
