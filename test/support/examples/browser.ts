import {browserAgent} from '../visitor.ts';

/** A browser without script: it keeps cookies and sends forms, and does not follow redirects by itself. */
export class Browser {
  readonly #site: string;
  readonly #cookies = new Map<string, string>();

  constructor(site: string, cookies: Iterable<readonly [string, string]> = []) {
    this.#site = site;
    for (const [name, value] of cookies) this.#cookies.set(name, value);
  }

  /** Another browser with a copy of the cookies. */
  copy(): Browser {
    return new Browser(this.#site, this.#cookies);
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Page> {
    return this.#request(path, {}, headers);
  }

  /** The page of a path, after its redirects. */
  async open(path: string): Promise<Page> {
    let address = path;
    let page = await this.get(address);
    for (let steps = 0; page.status === 303 && steps < 5; steps++) {
      address = new URL(page.headers.get('location') ?? '', new URL(address, this.#site)).href;
      page = await this.get(address);
    }
    return page;
  }

  /** Fills in a form of `page`, with its token, and sends it. */
  async submit(page: string, action: string, fields: Record<string, string>): Promise<Page> {
    const {text} = await this.open(page);
    return this.post(action, {_csrf: tokenOf(text), _token: dashboardTokenOf(text), ...fields});
  }

  async post(path: string, fields: Record<string, string>): Promise<Page> {
    return this.#request(path, {method: 'POST', body: new URLSearchParams(fields)});
  }

  async #request(
    path: string,
    init: Omit<RequestInit, 'headers'>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Page> {
    const cookie = Array.from(this.#cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(path, this.#site), {
      ...init,
      headers: {'User-Agent': browserAgent, ...headers, cookie},
      redirect: 'manual',
    });
    for (const header of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      if (name === undefined || value === undefined) continue;
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return {status: response.status, headers: response.headers, text: await response.text()};
  }
}

export interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The token of a form of the site. */
export function tokenOf(html: string): string {
  return /name="_csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
}

/** The token of a form of the dashboard. */
function dashboardTokenOf(html: string): string {
  return /name="_token" value="([^"]+)"/.exec(html)?.[1] ?? '';
}

/** The API key on a page; undefined if it shows none. */
export function apiKeyOf(html: string): string | undefined {
  return /id="links-api-key">([^<]*)</.exec(html)?.[1];
}

/** The error that a form shows at a field. */
export function errorOf(html: string, field: string): string | undefined {
  return new RegExp(`id="(?:links-)?${field}-error">([^<]*)<`).exec(html)?.[1];
}
