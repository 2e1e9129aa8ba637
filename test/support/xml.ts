import {readXml, type XmlElement} from './documents.ts';

const lists = [
  'urls',
  'tags',
  'rules',
  'days',
  'details',
  'conversions',
  'values',
  'variants',
  'totals',
  'results',
  'keys',
];

/** The text of every value of a document, with lists as in JSON. */
export function parseXml(document: string): unknown {
  return valueOf(readXml(document));
}

function valueOf({name, text, children}: XmlElement): unknown {
  // The conversions of one day are a number.
  if (lists.includes(name) && text === '') {
    const items = children.map(valueOf);
    return name === 'details' ? byName(items as Array<{name: string}>) : items;
  }
  return children.length === 0 ? text : Object.fromEntries(children.map((child) => [child.name, valueOf(child)]));
}

/** Rows as the lists that they have in JSON, by their names. */
export function byName(rows: ReadonlyArray<{name: string}>): Record<string, unknown[]> {
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
