import {type Fields, isObject, JsonDepth} from './json-records.ts';

/** A response of a site with this API. */
export interface RemoteAnswer {
  readonly code: number;
  /** In XML every value is a text. */
  readonly data: Fields;
}

/** Parses a response; undefined if it is malformed. */
export async function readAnswer(body: string, isXml: boolean): Promise<RemoteAnswer | undefined> {
  const envelope = isXml ? await parseXml(body) : parseJson(body);
  if (!isObject(envelope)) return undefined;
  const {code, data} = envelope;
  const status = typeof code === 'string' || typeof code === 'number' ? Number(code) : Number.NaN;
  return Number.isInteger(status) && isObject(data) ? {code: status, data} : undefined;
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
  if (!/<\/response>\s*$/.test(body) || isHostile(body)) return undefined;
  const {XMLParser} = await import('fast-xml-parser');
  const parser = new XMLParser({
    // Characters by their numbers, too.
    htmlEntities: true,
    ignoreAttributes: true,
    ignoreDeclaration: true,
    isArray: (_name, path) => lists.has(String(path)),
    parseTagValue: false,
    trimValues: false,
  });
  try {
    const document: unknown = parser.parse(body);
    return isObject(document) ? document['response'] : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether elements are nested more deeply than in any answer of the API, or a document type defines entities, which may be
 * without end.
 */
function isHostile(body: string): boolean {
  let depth = 0;
  for (let at = body.indexOf('<'); at !== -1;) {
    const end = endOfMarkup(body, at);
    if (end === undefined) return true;
    const first = body.charAt(at + 1);
    if (first === '/') depth -= 1;
    else if (first !== '!' && first !== '?' && body.charAt(end - 2) !== '/') depth += 1;
    if (depth > 64) return true;
    at = body.indexOf('<', end);
  }
  return false;
}

const texts = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;

/** Where a tag or a text in marks ends; undefined if it has no end, and for a document type. The time is linear. */
function endOfMarkup(body: string, start: number): number | undefined {
  const marks = texts.find(([mark]) => body.startsWith(mark, start));
  if (marks !== undefined) {
    const at = body.indexOf(marks[1], start + marks[0].length);
    return at === -1 ? undefined : at + marks[1].length;
  }
  if (body.startsWith('<!', start)) return undefined;
  const signs = /["'>]/g;
  signs.lastIndex = start;
  for (let sign = signs.exec(body); sign !== null; sign = signs.exec(body)) {
    if (sign[0] === '>') return signs.lastIndex;
    // The value of an attribute may have a `>`.
    const end = body.indexOf(sign[0], signs.lastIndex);
    if (end === -1) return undefined;
    signs.lastIndex = end + 1;
  }
  return undefined;
}

/** The items of a list: in JSON an array, in XML an element with an element for each, or without any. */
export function itemsOf(list: unknown, name: string): readonly unknown[] | undefined {
  if (Array.isArray(list)) return list as unknown[];
  if (isObject(list)) return Array.isArray(list[name]) ? (list[name] as unknown[]) : [];
  return typeof list === 'string' && list.trim() === '' ? [] : undefined;
}
