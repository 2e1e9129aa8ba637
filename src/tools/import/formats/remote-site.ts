import {setTimeout as delay} from 'node:timers/promises';
import {version} from '../../../version.ts';
import {ToolError} from '../../tool-error.ts';
import type {Fields} from './json-records.ts';
import {readAnswer, type RemoteAnswer} from './remote-answer.ts';
import {withoutSlashes} from '../../../tables/cells.ts';

export interface RemoteSiteOptions {
  /** Everything before `/api/v1`. */
  readonly site: string;
  readonly key: string;
  readonly xml: boolean;
  /** How long a response may take, in milliseconds. */
  readonly timeout: number;
  /** Waits for the given number of milliseconds. */
  readonly pause?: (milliseconds: number) => Promise<unknown>;
}

/** The number of retries and the pauses before them, in milliseconds. */
const maxTries = 5;
const firstPause = 500;
const maxPause = 60_000;

/** The maximum number of bytes of a response. */
const maxBytes = 256 * 1024 * 1024;

/** The site refuses the request. A retry would not help. */
export class RemoteRefusal extends Error {
  readonly status: number;

  constructor(status: number, code: string) {
    super(`The other site refused: ${status}${code}`);
    this.status = status;
  }
}

/** The result of a request that may be retried. */
interface Failure {
  readonly reason: string;
  /** In milliseconds, if the site says so. */
  readonly retryAfter?: number | undefined;
}

/** Another site with this API. No message has its API key, or a URL with the key. */
export class RemoteSite {
  readonly #options: RemoteSiteOptions;
  readonly #base: string;
  readonly #format: 'json' | 'xml';

  constructor(options: RemoteSiteOptions) {
    this.#options = options;
    this.#format = options.xml ? 'xml' : 'json';
    this.#base = `${withoutSlashes(options.site)}/api/v1/${encodeURIComponent(options.key)}/shorturl/`;
  }

  /**
   * Requests an operation. It retries after a failure, a timeout and a 429.
   *
   * @param operation with its parameters: `info/short_url/…`
   * @throws RemoteRefusal; ToolError `source_unavailable`
   */
  async ask(operation: string): Promise<Fields> {
    const {pause = delay} = this.#options;
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#try(operation);
      if ('data' in answer) return answer.data;
      if (tries === maxTries) {
        const message = `The other site failed ${maxTries} times: ${answer.reason}`;
        throw new ToolError('source_unavailable', `${message}. Imported links stay. Run the import again to continue`);
      }
      await pause(Math.min(answer.retryAfter ?? firstPause * 2 ** (tries - 1), maxPause));
    }
  }

  async #try(operation: string): Promise<RemoteAnswer | Failure> {
    const {timeout} = this.#options;
    let response: Response;
    let body: string;
    try {
      response = await fetch(`${this.#base}${operation}.${this.#format}`, {
        headers: {Accept: `application/${this.#format}`, 'User-Agent': `koa-short-url/${version}`},
        // The URL has the key, so a redirect must not send it to another server.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeout),
      });
      body = await readBody(response);
    } catch (error) {
      if (error instanceof ToolError) throw error;
      return {reason: reasonOf(error, timeout)};
    }
    const {status} = response;
    if (status >= 300 && status < 400) {
      throw new ToolError('source_refused', 'The other site redirects its API. Pass the address that it redirects to');
    }
    if (status === 429 || status >= 500) {
      const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
      return {reason: `it answered ${status}`, retryAfter: seconds >= 0 ? seconds * 1000 : undefined};
    }
    const answer = await readAnswer(body, this.#options.xml);
    const code = status === 200 ? (answer?.code ?? status) : status;
    if (code >= 400) throw new RemoteRefusal(code, this.#errorOf(answer));
    return answer ?? {reason: `its answer is not ${this.#format.toUpperCase()} with \`code\` and \`data\``};
  }

  /** The error code of the site, if it is a word and not the key. */
  #errorOf(answer: RemoteAnswer | undefined): string {
    const error = answer?.data['error'];
    const isWord = typeof error === 'string' && /^[a-z_]{3,40}$/.test(error) && !error.includes(this.#options.key);
    return isWord ? ` ${error}` : '';
  }
}

async function readBody(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > maxBytes) {
      throw new ToolError('source_unavailable', `An answer of the other site has more than ${maxBytes} bytes`);
    }
    text += decoder.decode(part, {stream: true});
  }
  return text + decoder.decode();
}

/** The system's code for the error. Its message may have the URL. */
function reasonOf(error: unknown, timeout: number): string {
  const {name, cause} = error as {name?: unknown; cause?: unknown};
  if (name === 'TimeoutError') return `it took longer than ${timeout} milliseconds`;
  const {code} = Object(cause) as {code?: unknown};
  return typeof code === 'string' && /^[A-Z_]+$/.test(code) ? `no connection (${code})` : 'no connection';
}
