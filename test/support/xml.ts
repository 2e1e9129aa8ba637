import {XMLParser} from 'fast-xml-parser';

const parser = new XMLParser({
  ignoreDeclaration: true,
  parseTagValue: false,
  trimValues: false,
  htmlEntities: true,
  isArray: (_name, path) => path === 'response.data.urls.url',
});

/** Every value of a document as the text that stands in it, the list of short URLs as an array. */
export function parseXml(text: string): unknown {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- its successor is a package of its own, for this one check
  const {response} = parser.parse(text, true) as {response: Tree};
  const data = response['data'] as Tree;
  if ('urls' in data) data['urls'] = data['urls'] === '' ? [] : (data['urls'] as Tree)['url'];
  return response;
}

/** An answer in JSON as the same answer in XML has to read: a null is an empty element, everything else its text. */
export function asXmlReads(json: unknown): unknown {
  if (json === null) return '';
  if (Array.isArray(json)) return json.map(asXmlReads);
  if (typeof json === 'object') {
    return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, asXmlReads(value)]));
  }
  return typeof json === 'string' ? json : JSON.stringify(json);
}

type Tree = Record<string, unknown>;
