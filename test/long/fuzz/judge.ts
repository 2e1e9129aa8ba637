import {isDeepStrictEqual} from 'node:util';
import {parseUrl} from '../../../src/values/parse-url.ts';
import {operations} from '../../../src/http/api/operations.ts';
import {structureOf} from '../../support/documents.ts';
import {judgeAnswer} from '../../support/judge.ts';
import type {Reply} from '../../support/request.ts';
import type {Asked} from './request.ts';

/** What a run has to see, besides the errors of the contract: a success of every operation. */
export const successes: readonly string[] = Array.from(operations.keys(), (name) => `200 ${name}`);
const apiHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
};

const prefetch = 'prefetch 503';

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
  async judge(answer: Reply, asked: Asked | undefined): Promise<void> {
    const kind = this.#kindOf(answer, asked);
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    const {status, text} = answer;
    const isAllowed = kind === prefetch || (this.#allowsOutage && status === 503);
    if (status >= 500 && !isAllowed) fail(answer, 'a fault of the server');
    // The host's own API repeats the whole URL.
    if (!kind.startsWith('host') && this.#secrets.some((secret) => text.includes(secret))) {
      fail(answer, 'a secret in an answer');
    }
    if (asked !== undefined && !kind.startsWith('node')) await judgeAnswer(asked, '', answer);
  }

  #kindOf(answer: Reply, asked: Asked | undefined): string {
    const {status, headers, text} = answer;
    if (isOfNode(answer)) return `node ${status}`;
    if (isOfPrefetch(answer) && asked?.operation === undefined) return prefetch;
    const mayBeCall = has(answer, apiHeaders) || isPicture(answer);
    if (asked?.operation !== undefined || (asked === undefined && mayBeCall)) return this.#judgeCall(answer, asked);
    if (headers.location !== undefined) return judgeRedirect(answer, asked);
    if (headers['content-security-policy'] !== undefined) return this.#judgePage(answer, asked);
    const isHosts =
      ['Home', 'About this site', 'No such page on this site.'].includes(text) || text.startsWith('The host’s ');
    if (!isHosts && asked?.method !== 'HEAD' && asked?.path !== '/echo') fail(answer, 'nobody gave this answer');
    if (![200, 400, 404].includes(status)) fail(answer, 'no status of the host');
    return `host ${status}`;
  }

  #judgePage(answer: Reply, asked: Asked | undefined): string {
    const {status, headers, text} = answer;
    if (asked?.method === 'HEAD') return `page HEAD ${status}`;
    if (headers['content-type'] === 'application/json; charset=utf-8') {
      const {data} = answer.envelope;
      return `notice ${status} ${String(data['error'] ?? data['status'])}`;
    }
    if (!this.#pages.has(structureOf(text))) fail(answer, 'not one of the pages');
    return `page ${status}`;
  }

  #judgeCall(answer: Reply, asked: Asked | undefined): string {
    const {status} = answer;
    if (asked?.method === 'HEAD') return `api HEAD ${status}`;
    if (isPicture(answer)) {
      if (asked !== undefined && asked.operation !== 'qr') fail(answer, 'a picture that nobody asked for');
      return 'api 200 qr';
    }
    const {data} = answer.envelope;
    if (status === 200) {
      if (asked?.repeated !== undefined) this.#judgeRepeat(answer, asked.repeated, data);
      return `api 200 ${asked?.operation}`;
    }
    if (!/^[A-Z]\P{Cc}*\.$/u.test(String(data['message']))) fail(answer, 'the message is no sentence');
    return `api ${status} ${String(data['error'])}`;
  }

  /** A repeat has the same answer, also after the link was changed or removed. */
  #judgeRepeat(answer: Reply, repeated: string, data: unknown): void {
    const before = this.#created.get(repeated) ?? data;
    if (!isDeepStrictEqual(before, data)) fail(answer, `not the answer of before, ${JSON.stringify(before)}`);
    this.#created.set(repeated, data);
  }
}

function judgeRedirect(answer: Reply, asked: Asked | undefined): string {
  const {status, text} = answer;
  const {location = ''} = answer.headers;
  if (!/^https?:\/\/[\x21-\x7e]+$/.test(location) || parseUrl(location)?.href !== location)
    fail(answer, 'no destination');
  if (asked !== undefined && status !== (asked.method === 'POST' ? 303 : 302)) fail(answer, 'no status of a redirect');
  if (!has(answer, {'cache-control': 'private, no-store', 'content-length': '0'})) fail(answer, 'not its headers');
  if (text !== '') fail(answer, 'a redirect with a body');
  return `redirect ${status}`;
}

/** Node.js's own answer to a malformed request. */
function isOfNode({status, headers, text}: Reply): boolean {
  const isBare = Object.keys(headers).every((name) =>
    /^(connection|date|transfer-encoding|content-length)$/.test(name),
  );
  return [400, 408, 413, 417, 431].includes(status) && text === '' && isBare;
}

/** The answer to the prefetch of a link, of which the browser makes nothing. */
function isOfPrefetch({status, headers, text}: Reply): boolean {
  const names = Object.keys(headers).filter((name) => !['connection', 'date'].includes(name));
  const isBare = names.sort().join() === 'cache-control,content-length';
  return status === 503 && text === '' && isBare && headers['cache-control'] === 'no-store';
}

/** A QR code, which browsers may keep, unlike the other answers of the API. */
function isPicture({status, headers}: Reply): boolean {
  return status === 200 && headers['content-type']?.startsWith('image/') === true;
}

function has(answer: Reply, headers: Readonly<Record<string, string>>): boolean {
  return Object.entries(headers).every(([name, value]) => answer.headers[name] === value);
}

function fail(answer: Reply, what: string): never {
  throw new Error(`${what}: ${JSON.stringify(answer).slice(0, 3000)}`);
}
