import {isDeepStrictEqual} from 'node:util';
import {parseUrl} from '../../../src/links/input/parse-url.ts';
import {statuses} from '../../support/answers.ts';
import {readXml, structureOf, type XmlElement} from '../../support/documents.ts';
import {judgeAnswer} from '../../support/judge.ts';
import {Reply} from '../../support/request.ts';
import type {Response} from './connection.ts';
import type {Asked} from './request.ts';

const infoFields = [
  ...['url_id', 'short_url', 'short_url_part', 'original_url', 'date_created', 'last_accessed', 'total_visits'],
  ...['has_password', 'expiry_date', 'status'],
];
const labelFields = ['title', 'tags', 'max_visits', 'start_date', 'expired_url', 'forward_query', 'rules'];

/** The fields of each operation's answer, in order. A list has `next_cursor` on every page but the last. */
const answers: ReadonlyMap<string, readonly string[]> = new Map([
  ['create', ['url_id', 'short_url', 'short_url_part', 'original_url', 'date_time']],
  ['disable', ['url_id', 'status', 'short_url', 'date_time']],
  ['enable', ['url_id', 'status', 'short_url', 'date_time']],
  ['info', [...infoFields, 'date_time']],
  ['list_active_urls', ['urls', 'date_time']],
  ['update', [...infoFields, ...labelFields, 'date_time']],
  ['remove', ['url_id', 'short_url', 'status', 'date_time']],
  ['stats', [...infoFields, ...labelFields, 'days', 'details', 'date_time']],
  ['list_urls', ['urls', 'date_time']],
  ['create_many', ['results', 'date_time']],
  ['update_many', ['results', 'date_time']],
  ['keys', ['keys', 'date_time']],
  ['create_key', ['id', 'api_key', 'label', 'scope', 'created', 'date_time']],
  ['revoke_key', ['id', 'status', 'date_time']],
]);
/** What a run has to see, besides the errors of the contract. */
export const successes: readonly string[] = [...answers.keys()].map((operation) => `200 ${operation}`);
const apiHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
};
const date = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

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
    answer.expect({'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY', 'x-robots-tag': 'noindex'});
    if (status === 429 || status === 503) answer.expectRetryAfter();
    if (asked?.method === 'HEAD') return `page HEAD ${status}`;
    if (answer.header('content-type') === 'application/json; charset=utf-8') {
      const {data} = readEnvelope(answer, 'json');
      const names = status === 410 ? 'status message date_time' : 'error message date_time';
      if (Object.keys(data).join(' ') !== names) answer.fail('no notice in JSON');
      return `notice ${status} ${String(data['error'] ?? data['status'])}`;
    }
    if (answer.header('content-type') !== 'text/html; charset=utf-8') answer.fail('neither HTML nor JSON');
    if (![200, 401, 410, 429, 503].includes(status)) answer.fail('no status of a page');
    if (!this.#pages.has(structureOf(body))) answer.fail('not one of the pages');
    return `page ${status}`;
  }

  #judgeCall(answer: Answer, asked: Asked | undefined): string {
    const {status} = answer.response;
    answer.expect(apiHeaders);
    if (status === 429 || status === 503) answer.expectRetryAfter();
    const allowed = answer.header('allow');
    if ((status === 405) !== (allowed !== undefined && ['GET', 'POST', 'GET, POST'].includes(allowed))) {
      answer.fail('Allow in the wrong place');
    }
    if ((status === 401) !== (answer.header('www-authenticate') === 'Bearer')) {
      answer.fail('WWW-Authenticate in the wrong place');
    }
    if (asked?.method === 'HEAD') return `api HEAD ${status}`;
    const wanted = asked && (/\.xml$/i.test(asked.path) ? 'xml' : 'json');
    const format = answer.header('content-type') === 'application/xml; charset=utf-8' ? 'xml' : 'json';
    if (wanted !== undefined && format !== wanted) answer.fail('not in the format that was asked for');
    const {data, names} = readEnvelope(answer, format);
    if (status === 200) {
      const given = names.filter((name) => name !== 'next_cursor').join();
      const [operation] =
        [...answers].find(
          ([name, fields]) => fields.join() === given && (asked === undefined || name === asked.operation),
        ) ?? [];
      if (operation === undefined) answer.fail('not the fields of the operation');
      if (asked?.repeated !== undefined) this.#judgeRepeat(answer, asked.repeated, data);
      return `api 200 ${operation}`;
    }
    const {error} = data;
    if (names.join() !== 'error,message,date_time') answer.fail('not the fields of an error');
    const isOfBody = error === 'malformed_body' && [400, 413, 415].includes(status);
    if (!isOfBody && (!Object.hasOwn(statuses, String(error)) || statuses[error as keyof typeof statuses] !== status)) {
      answer.fail('no error of the contract');
    }
    if (!/^[A-Z]\P{Cc}*\.$/u.test(String(data['message']))) answer.fail('the message is no sentence');
    return `api ${status} ${String(error)}`;
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

function readEnvelope(answer: Answer, format: 'json' | 'xml'): {data: Record<string, unknown>; names: string[]} {
  const {status, body} = answer.response;
  if (!body.startsWith(format === 'json' ? '{"code":' : '<?xml version="1.0" encoding="UTF-8"?><response><code>')) {
    answer.fail('no envelope');
  }
  const {code, data, names} = format === 'json' ? fromJson(body) : fromXml(readXml(body));
  if (code !== status) answer.fail('the status is not the code');
  if (!date.test(String(data['date_time']))) answer.fail('date_time is no date');
  return {data, names};
}

function fromJson(text: string): {code: unknown; data: Record<string, unknown>; names: string[]} {
  const {code, data, ...rest} = JSON.parse(text) as {code: unknown; data: Record<string, unknown>};
  if (Object.keys(rest).length > 0) throw new Error('There is something beside code and data');
  return {code, data, names: Object.keys(data)};
}

function fromXml({name, children}: XmlElement): {code: unknown; data: Record<string, unknown>; names: string[]} {
  const [code, data] = children;
  const shape = [name, ...children.map((child) => child.name)].join();
  if (code === undefined || data === undefined || shape !== 'response,code,data') throw new Error('No envelope');
  const names = data.children.map((child) => child.name);
  return {
    code: Number(code.text),
    data: Object.fromEntries(data.children.map((child) => [child.name, child.text])),
    names,
  };
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

  expectRetryAfter(): void {
    if (!/^[1-9]\d*$/.test(this.header('retry-after') ?? '')) this.fail('no Retry-After');
  }

  fail(what: string): never {
    throw new Error(`${what}: ${JSON.stringify(this.response).slice(0, 3000)}`);
  }
}
