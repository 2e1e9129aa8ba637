/** A request as it is put on the wire, however strange: nobody checks or escapes it. */
export interface Request {
  readonly method: string;
  readonly target: string;
  readonly version: '1.0' | '1.1';
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** Sent with its length, or in chunks. */
  readonly body?: {readonly text: string; readonly isChunked: boolean} | undefined;
}

/** Requests that go out on one connection, each without waiting for the answer to the one before. */
export interface Conversation {
  readonly requests: readonly Request[];
  /** Bytes behind them that may be no request at all; undefined where the connection is kept for more. */
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

/** What a request asks for, as the server has to understand it. */
export interface Asked {
  readonly method: string;
  /** The path of the target, without what an absolute form puts before it, and without the query. */
  readonly path: string;
  readonly isCall: boolean;
}

export function read({method, target}: Request): Asked {
  const path = target.replace(/\?.*$/s, '').replace(/^[^/][^/]*\/\/[^/]*/, '');
  return {method, path, isCall: /^\/api\/v1\/([^/]+\/)?shorturl\/[^/]/.test(path)};
}
