import {request as send, type Agent, type IncomingHttpHeaders} from 'node:http';
import {text} from 'node:stream/consumers';
import {parseXml} from './xml.ts';

export interface Ask {
  readonly method?: string;
  /** Sent as it stands: nothing is normalised or escaped. */
  readonly path: string;
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** What may stand in `data`. The type claims every field of every operation; which of them are there is for the tests. */
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
  days: Array<{date: string; visits: number}>;
  details: Record<string, Array<{value: string; visits: number}>>;
  urls: Array<{short_url: string; title: string | null; tags: string[]; status: string}>;
  next_cursor: string;
  error: string;
  message: string;
  date_time: string;
}

export interface Envelope {
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

  /** The `response` element: every value the text that the document holds. */
  xml(): unknown {
    return parseXml(this.text);
  }

  /** Whichever of the two the Content-Type says, with every value as text. */
  get envelope(): {code: unknown; data: Record<string, unknown>} {
    const isXml = this.headers['content-type']?.startsWith('application/xml') ?? false;
    return (isXml ? this.xml() : this.json()) as {code: unknown; data: Record<string, unknown>};
  }
}

/** One request over a socket of node:http. Rejects when the connection ends before the answer is complete. */
export async function exchange(port: number, agent: Agent, ask: Ask): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const {method = 'GET', path, host = 'example.com', headers = {}, body} = ask;
    const isChunked = body === undefined || headers['Transfer-Encoding'] === 'chunked';
    const length = isChunked ? {} : {'Content-Length': String(Buffer.byteLength(body))};
    const outgoing = send({
      host: '127.0.0.1',
      port,
      agent,
      method,
      path,
      headers: {...length, ...headers, Host: host},
    });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      text(incoming).then((received) => {
        resolve(new Reply(incoming.statusCode ?? 0, incoming.headers, received));
      }, reject);
    });
    outgoing.end(body);
  });
}
