export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The requested URL. */
  readonly url: string;
  /** The absolute URL of the redirect; empty for none. */
  readonly location: string;
}

interface Sent {
  readonly method?: string;
  readonly body?: URLSearchParams;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A browser without script: it keeps cookies, and does not follow redirects by itself. */
export class Client {
  /** What its addresses are relative to. */
  readonly base: string;
  readonly cookies = new Map<string, string>();
  readonly #headers: Readonly<Record<string, string>>;

  constructor(base: string, headers: Readonly<Record<string, string>>) {
    this.base = base;
    this.#headers = headers;
  }

  get(address = '', headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send(address, {headers});
  }

  async send(address: string, {headers, ...init}: Sent): Promise<Answer> {
    const url = new URL(address, this.base).href;
    const cookie = Array.from(this.cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      ...init,
      headers: {...this.#headers, ...(cookie !== '' && {Cookie: cookie}), ...headers},
      redirect: 'manual',
    });
    for (const header of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const location = response.headers.get('location');
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      url,
      location: location === null ? '' : new URL(location, url).href,
    };
  }
}
