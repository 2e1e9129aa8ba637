import {once} from 'node:events';
import {request as send, type Agent, type IncomingHttpHeaders, type IncomingMessage} from 'node:http';
import {text} from 'node:stream/consumers';
import {parseXml} from './xml.ts';

export interface Ask {
  readonly method?: string;
  /** Sent unchanged, without normalising or escaping. */
  readonly path: string;
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** How a browser sends the form of a link with a password. */
export function withPassword(password: string, headers: Ask['headers'] = {}): Omit<Ask, 'path'> {
  return {
    method: 'POST',
    headers: {'Content-Type': 'application/x-www-form-urlencoded', ...headers},
    body: new URLSearchParams({password}).toString(),
  };
}

/** The fields of `data`. The type has every field of every operation, and tests check which are present. */
export interface Data {
  url_id: number;
  short_url: string;
  short_url_part: string;
  original_url: string;
  date_created: string;
  last_accessed: string | null;
  total_visits: number;
  has_password: boolean;
  expiry_date: string | null;
  status: string;
  title: string | null;
  tags: string[];
  max_visits: number | null;
  start_date: string | null;
  expired_url: string | null;
  forward_query: boolean;
  preview_title: string | null;
  preview_description: string | null;
  preview_image: string | null;
  reference: string | null;
  utm: Readonly<Record<string, string>> | null;
  rules: Array<{url: string; [condition: string]: string}>;
  days: Array<{date: string; visits: number; conversions: number}>;
  conversions: Array<{name: string; conversions: number; value: number}>;
  link: Pick<Data, 'url_id' | 'short_url' | 'status'> | null;
  details: Record<string, Array<{value: string; visits: number}>>;
  urls: Array<{short_url: string; title: string | null; tags: string[]; status: string}>;
  next_cursor: string;
  results: Array<{link?: Omit<Data, 'results'>; error?: string; message?: string}>;
  error: string;
  message: string;
  date_time: string;
}

interface Envelope {
  code: number;
  data: Data;
}

export class Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;

  constructor(status: number, headers: IncomingHttpHeaders, body: string) {
    this.status = status;
    this.headers = headers;
    this.text = body;
  }

  json(): Envelope {
    return JSON.parse(this.text) as Envelope;
  }

  /** The `response` element, with every value as text. */
  xml(): unknown {
    return parseXml(this.text);
  }

  /** The envelope in the format of the Content-Type, with every value as text. */
  get envelope(): {code: unknown; data: Record<string, unknown>} {
    const isXml = this.headers['content-type']?.startsWith('application/xml') ?? false;
    return (isXml ? this.xml() : this.json()) as {code: unknown; data: Record<string, unknown>};
  }
}

/** One request over a socket of node:http. Rejects if the connection ends before the answer is complete. */
export async function exchange(port: number, agent: Agent, ask: Ask): Promise<Reply> {
  const {method = 'GET', path, host = 'example.com', headers = {}, body} = ask;
  const isChunked = body === undefined || headers['Transfer-Encoding'] === 'chunked';
  const length = isChunked ? {} : {'Content-Length': String(Buffer.byteLength(body))};
  const outgoing = send({
    host: '127.0.0.1',
    port,
    agent,
    method,
    path,
    // Without it a visit does not count. It names no device.
    headers: {'User-Agent': 'Mozilla/5.0 Firefox/140.0', ...length, ...headers, Host: host},
  });
  // Also those after the answer began, which its text reports.
  outgoing.on('error', () => undefined);
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  return new Reply(incoming.statusCode ?? 0, incoming.headers, await text(incoming));
}
