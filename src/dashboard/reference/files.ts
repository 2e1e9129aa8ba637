import {openApi, schema} from '../generated/files.ts';
import type {FileReply, Handler} from '../request.ts';

const maxAge = 300;

/** The OpenAPI document with this site as its server. */
export const openApiFile: Handler = ({shortener}): FileReply => {
  const body = JSON.stringify({...(JSON.parse(openApi) as object), servers: [{url: shortener.baseUrls[0]}]});
  return {type: 'application/json; charset=utf-8', body, maxAge};
};

export const schemaFile: Handler = (): FileReply => ({
  type: 'application/xml; charset=utf-8',
  body: schema,
  maxAge,
});
