import {isDeepStrictEqual} from 'node:util';
import {parseUrl} from '../../../src/link/parse-url.ts';
import {operations} from '../../../src/http/api/operations.ts';
import {readXml, structureOf} from '../../support/documents.ts';
import {judgeAnswer} from '../../support/judge.ts';
import {Reply} from '../../support/request.ts';
import type {Response} from './connection.ts';
import type {Asked} from './request.ts';

/** What a run has to see, besides the errors of the contract: a success of every operation. */
export const successes: readonly string[] = Array.from(operations.keys(), (name) => `200 ${name}`);
const apiHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
};

/** Checks answers against the contract, and counts them. */
export class Judge {
  /** The number of answers by source, status and error. */
  readonly counts = new Map<string, number>();
  /** The structures of the package's pages. No request may produce another one. */
  readonly #pages: ReadonlySet<string>;
  readonly #secrets: readonly string[];
  readonly #allowsOutage: boolean;
  /** The answers to calls with an idempotency key. */
  readonly #created = new Map<string, unknown>();

  constructor(settings: {pages: ReadonlySet<string>; secrets: readonly string[]; allowsOutage?: boolean}) {
    this.#pages = settings.pages;
    this.#secrets = settings.secrets;
    this.#allowsOutage = settings.allowsOutage ?? false;
  }

  /** The store has forgotten what was created. */
  forget(): void {
    this.#created.clear();
  }

  /** @param asked undefined if the request is unknown */
  async judge(response: Response, asked: Asked | undefined): Promise<void> {
    const answer = new Answer(response);
    const kind = this.#kindOf(answer, asked);
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    if (response.status >= 500 && !(this.#allowsOutage && response.status === 503))
      answer.fail('a fault of the server');
    // The host's own API repeats the whole URL.
    if (!kind.startsWith('host') && this.#secrets.some((secret) => response.body.includes(secret))) {
      answer.fail('a secret in an answer');
    }
    if (asked !== undefined && !kind.startsWith('node')) await judgeAnswer(asked, '', answer.toReply());
  }

  #kindOf(answer: Answer, asked: Asked | undefined): string {
    const {status, body} = answer.response;
    if (isOfNode(answer)) return `node ${status}`;
    if (asked?.operation !== undefined || (asked === undefined && answer.has(apiHeaders)))
      return this.#judgeCall(answer, asked);
    if (answer.header('location') !== undefined) return judgeRedirect(answer, asked);
    if (answer.header('content-security-policy') !== undefined) return this.#judgePage(answer, asked);
    const isHosts =
      ['Home', 'About this site', 'No such page on this site.'].includes(body) || body.startsWith('The host’s ');
    if (!isHosts && asked?.method !== 'HEAD' && asked?.path !== '/echo') answer.fail('nobody gave this answer');
    if (![200, 400, 404].includes(status)) answer.fail('no status of the host');
    return `host ${status}`;
  }

  #judgePage(answer: Answer, asked: Asked | undefined): string {
    const {status, body} = answer.response;
    if (asked?.method === 'HEAD') return `page HEAD ${status}`;
    if (answer.header('content-type') === 'application/json; charset=utf-8') {
      const {data} = readEnvelope(answer);
      return `notice ${status} ${String(data['error'] ?? data['status'])}`;
    }
    if (!this.#pages.has(structureOf(body))) answer.fail('not one of the pages');
    return `page ${status}`;
  }

  #judgeCall(answer: Answer, asked: Asked | undefined): string {
    const {status} = answer.response;
    if (asked?.method === 'HEAD') return `api HEAD ${status}`;
    if (status === 200 && answer.header('content-type')?.startsWith('image/') === true) {
      if (asked?.operation !== 'qr') answer.fail('a picture that nobody asked for');
      return 'api 200 qr';
    }
    const {data} = readEnvelope(answer);
    if (status === 200) {
      if (asked?.repeated !== undefined) this.#judgeRepeat(answer, asked.repeated, data);
      return `api 200 ${asked?.operation}`;
    }
    if (!/^[A-Z]\P{Cc}*\.$/u.test(String(data['message']))) answer.fail('the message is no sentence');
    return `api ${status} ${String(data['error'])}`;
  }

  /** A repeat has the same answer, also after the link was changed or removed. */
  #judgeRepeat(answer: Answer, repeated: string, data: unknown): void {
    const before = this.#created.get(repeated) ?? data;
    if (!isDeepStrictEqual(before, data)) answer.fail(`not the answer of before, ${JSON.stringify(before)}`);
    this.#created.set(repeated, data);
  }
}

function judgeRedirect(answer: Answer, asked: Asked | undefined): string {
  const {status, body} = answer.response;
  const location = answer.header('location') ?? '';
  if (!/^https?:\/\/[\x21-\x7e]+$/.test(location) || parseUrl(location)?.href !== location)
    answer.fail('no destination');
  if (asked !== undefined && status !== (asked.method === 'POST' ? 303 : 302)) answer.fail('no status of a redirect');
  answer.expect({'cache-control': 'private, no-store', 'content-length': '0'});
  if (body !== '') answer.fail('a redirect with a body');
  return `redirect ${status}`;
}

/** Node.js's own answer to a malformed request. */
function isOfNode({response: {status, headers, body}}: Answer): boolean {
  const isBare = headers.every(([name]) => /^(connection|date|transfer-encoding|content-length)$/i.test(name));
  return [400, 408, 413, 417, 431].includes(status) && body === '' && isBare;
}

/** The data of an answer in JSON or XML, with its values of XML as text. */
function readEnvelope(answer: Answer): {data: Record<string, unknown>} {
  const {body} = answer.response;
  if (answer.header('content-type')?.startsWith('application/xml') !== true) return JSON.parse(body) as {data: never};
  const data = readXml(body).children.find(({name}) => name === 'data');
  return {data: Object.fromEntries(data?.children.map(({name, text}) => [name, text]) ?? [])};
}

class Answer {
  readonly response: Response;

  constructor(response: Response) {
    this.response = response;
  }

  header(wanted: string): string | undefined {
    const found = this.response.headers.filter(([name]) => name.toLowerCase() === wanted);
    if (found.length > 1) this.fail(`${wanted} more than once`);
    return found[0]?.[1];
  }

  toReply(): Reply {
    const {status, headers, body} = this.response;
    return new Reply(status, Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])), body);
  }

  has(headers: Readonly<Record<string, string>>): boolean {
    return Object.entries(headers).every(([name, value]) => this.header(name) === value);
  }

  expect(headers: Readonly<Record<string, string>>): void {
    if (!this.has(headers)) this.fail(`not the headers ${JSON.stringify(headers)}`);
  }

  fail(what: string): never {
    throw new Error(`${what}: ${JSON.stringify(this.response).slice(0, 3000)}`);
  }
}
