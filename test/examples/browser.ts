/** What a test needs of a browser without script: cookies, forms, and redirects that it looks at itself. */
export class Browser {
  readonly #site: string;
  readonly #cookies = new Map<string, string>();

  constructor(site: string, cookies: Iterable<readonly [string, string]> = []) {
    this.#site = site;
    for (const [name, value] of cookies) this.#cookies.set(name, value);
  }

  /** Another browser with the cookies that this one has now. */
  copy(): Browser {
    return new Browser(this.#site, this.#cookies);
  }

  async get(path: string): Promise<Page> {
    return this.#request(path, {});
  }

  /** Fills in the form that `page` has, its token included, and sends it. */
  async submit(page: string, action: string, fields: Record<string, string>): Promise<Page> {
    const {text} = await this.get(page);
    return this.post(action, {_csrf: tokenOf(text), ...fields});
  }

  async post(path: string, fields: Record<string, string>): Promise<Page> {
    return this.#request(path, {method: 'POST', body: new URLSearchParams(fields)});
  }

  async #request(path: string, init: RequestInit): Promise<Page> {
    const cookie = Array.from(this.#cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(path, this.#site), {...init, headers: {cookie}, redirect: 'manual'});
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

export function tokenOf(html: string): string {
  return /name="_csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
}

/** The API key that an account page shows; undefined on any other page. */
export function apiKeyOf(html: string): string | undefined {
  return /id="api-key">([^<]*)</.exec(html)?.[1];
}

/** A line to try on a page, with the key in it. */
export function lineOf(html: string, id: string): string {
  const line = new RegExp(`<code id="${id}">(.*?)</code>`, 's').exec(html)?.[1] ?? '';
  return line
    .replace(/<span class="mask">[^<]*<\/span>/g, '')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&#39;', "'");
}

/** What a form says is wrong with a field. */
export function errorOf(html: string, field: string): string | undefined {
  return new RegExp(`id="${field}-error">([^<]*)<`).exec(html)?.[1];
}

/** The row of the links table that is about this short URL; undefined if there is none. */
export function rowOf(html: string, shortUrl: string): string | undefined {
  return html.split('<tr').find((row) => row.includes(`href="${shortUrl}"`) && row.includes('<td'));
}
