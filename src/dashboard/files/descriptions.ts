import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {type FileReply, type Handler, NotFound} from '../request.ts';

const maxAge = 300;

/** The OpenAPI document with this site as its server. */
export const openApiFile: Handler = ({shortener}): FileReply => {
  const document = JSON.parse(read('openapi.json')) as object;
  const body = JSON.stringify({...document, servers: [{url: shortener.baseUrls[0]}]});
  return {type: 'application/json; charset=utf-8', body, maxAge};
};

export const schemaFile: Handler = (): FileReply => ({
  type: 'application/xml; charset=utf-8',
  body: read('short-url.xsd'),
  maxAge,
});

/** @throws NotFound in a bundled server, which does not have the documents of the package */
function read(name: string): string {
  try {
    return readFileSync(createRequire(import.meta.url).resolve(`koa-short-url/${name}`), 'utf8');
  } catch {
    throw new NotFound();
  }
}
