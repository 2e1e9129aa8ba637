import {XMLParser} from 'fast-xml-parser';

const lists = ['urls', 'tags', 'rules', 'days', 'details', 'conversions', 'results', 'keys'];
const parser = new XMLParser({
  ignoreDeclaration: true,
  parseTagValue: false,
  trimValues: false,
  htmlEntities: true,
  isArray: (_name, path) => lists.some((list) => String(path).endsWith(`.${list}.${list.slice(0, -1)}`)),
});

/** The text of every value of a document, with lists as in JSON. */
export function parseXml(text: string): unknown {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- its successor is another package, for this one check
  const {response} = parser.parse(text, true) as {response: Tree};
  return unwrap(response);
}

function unwrap(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unwrap);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as Tree).map(([name, content]) => {
      // The conversions of one day are a number.
      if (!lists.includes(name) || (typeof content === 'string' && content !== '')) return [name, unwrap(content)];
      const items = content === '' ? [] : ((content as Tree)[name.slice(0, -1)] as unknown[]).map(unwrap);
      return [name, name === 'details' ? byName(items as Array<{name: string}>) : items];
    }),
  );
}

function byName(rows: ReadonlyArray<{name: string}>): Record<string, unknown[]> {
  const groups: Record<string, unknown[]> = {};
  for (const {name, ...row} of rows) (groups[name] ??= []).push(row);
  return groups;
}

/** A JSON answer as its XML reads: null is an empty element, and every other value its text. */
export function asXmlReads(json: unknown): unknown {
  if (json === null) return '';
  if (Array.isArray(json)) return json.map(asXmlReads);
  if (typeof json === 'object') {
    return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, asXmlReads(value)]));
  }
  return typeof json === 'string' ? json : JSON.stringify(json);
}

type Tree = Record<string, unknown>;
