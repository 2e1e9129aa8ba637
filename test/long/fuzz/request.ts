export type Header = readonly [name: string, value: string];

/** A request as it is sent, without checks or escaping. */
export interface Request {
  readonly method: string;
  readonly target: string;
  readonly version: '1.0' | '1.1';
  readonly headers: readonly Header[];
  /** Sent with Content-Length, or in chunks. */
  readonly body?: {readonly text: string; readonly isChunked: boolean} | undefined;
}

/** Pipelined requests on one connection. */
export interface Conversation {
  readonly requests: readonly Request[];
  /** Bytes after the requests, possibly malformed; undefined if the connection is kept open. */
  readonly garbage?: string | undefined;
}

export function write({method, target, version, headers, body}: Request): string {
  const lines = [`${method} ${target} HTTP/${version}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  if (body === undefined) return `${lines.join('\r\n')}\r\n\r\n`;
  const length = Buffer.byteLength(body.text);
  if (!body.isChunked) return `${[...lines, `Content-Length: ${length}`].join('\r\n')}\r\n\r\n${body.text}`;
  const chunks = length === 0 ? '' : `${length.toString(16)}\r\n${body.text}\r\n`;
  return `${[...lines, 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n${chunks}0\r\n\r\n`;
}

/** A request as the server has to understand it. */
export interface Asked {
  readonly method: string;
  /** The path of the target, without the origin of an absolute form and without the query. */
  readonly path: string;
  /** The name of the operation, which may be unknown; undefined if the request is no call of the API. */
  readonly operation: string | undefined;
  /** The same for every repeat of a call with an idempotency key; undefined for any other request. */
  readonly repeated: string | undefined;
}

export function read({method, target, headers, body}: Request): Asked {
  const path = target.replace(/\?.*$/s, '').replace(/^[^/][^/]*\/\/[^/]*/, '');
  const [, key, first, rest] = /^\/api\/v1\/(?:([^/]+)\/)?shorturl\/([^/]+)(\/.*)?$/s.exec(path) ?? [];
  const operation = rest === undefined ? first?.replace(/\.[^.]*$/, '') : first;
  const identity = headers.filter(([name]) => name === 'Authorization' || name === 'Idempotency-Key');
  const isRepeatable = operation === 'create' && key === undefined && identity.length > 1;
  const repeated = isRepeatable ? JSON.stringify([method, path, identity, body?.text]) : undefined;
  return {method, path, operation, repeated};
}
