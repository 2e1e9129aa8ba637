import {readFileSync} from 'node:fs';
import type {FileReply, Handler} from '../request.ts';
import type {OpenApi} from './openapi.ts';

const maxAge = 300;
const known = new Map<string, string>();

/** Reads a file of the package once, when it is first needed. */
function read(name: string): string {
  const text = known.get(name) ?? readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
  known.set(name, text);
  return text;
}

let parsed: OpenApi | undefined;

/** The OpenAPI document, parsed once. */
export function openApi(): OpenApi {
  parsed ??= JSON.parse(read('openapi.json')) as OpenApi;
  return parsed;
}

/** The OpenAPI document with this site as its server. */
export const openApiFile: Handler = ({shortener}): FileReply => {
  const body = JSON.stringify({...openApi(), servers: [{url: shortener.baseUrls[0]}]});
  return {type: 'application/json; charset=utf-8', body, maxAge};
};

export const schemaFile: Handler = (): FileReply => ({
  type: 'application/xml; charset=utf-8',
  body: read('short-url.xsd'),
  maxAge,
});
