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

  /** The page that a path leads to in the end. */
  async open(path: string): Promise<Page> {
    let address = path;
    let page = await this.get(address);
    for (let steps = 0; page.status === 303 && steps < 5; steps++) {
      address = new URL(page.headers.get('location') ?? '', new URL(address, this.#site)).href;
      page = await this.get(address);
    }
    return page;
  }

  /** Fills in the form that `page` has, its token included, and sends it. */
  async submit(page: string, action: string, fields: Record<string, string>): Promise<Page> {
    const {text} = await this.open(page);
    return this.post(action, {_csrf: tokenOf(text), _token: dashboardTokenOf(text), ...fields});
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

/** What a form of the site brings back. */
export function tokenOf(html: string): string {
  return /name="_csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
}

/** What a form of the dashboard brings back. */
export function dashboardTokenOf(html: string): string {
  return /name="_token" value="([^"]+)"/.exec(html)?.[1] ?? '';
}

/** The API key that a page shows; undefined on any page that shows none. */
export function apiKeyOf(html: string): string | undefined {
  return /id="api-key">([^<]*)</.exec(html)?.[1];
}

/** What a form says is wrong with a field. */
export function errorOf(html: string, field: string): string | undefined {
  return new RegExp(`id="${field}-error">([^<]*)<`).exec(html)?.[1];
}

/** The row of the list of links that is about this short URL; undefined if there is none. */
export function rowOf(html: string, shortUrl: string): string | undefined {
  return html.split('<tr').find((row) => row.includes(`href="${shortUrl}"`) && row.includes('<td'));
}
