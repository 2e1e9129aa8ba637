import {type Answer, Client} from '../client.ts';
import {tokenIn} from '../dashboard.ts';
import {browserAgent} from '../visitor.ts';

/** A person's browser on the site of the example. */
export class Browser extends Client {
  constructor(site: string) {
    super(site, {'User-Agent': browserAgent});
  }

  /** Another browser with a copy of the cookies. */
  copy(): Browser {
    const other = new Browser(this.base);
    for (const [name, value] of this.cookies) other.cookies.set(name, value);
    return other;
  }

  /** The page of a path, after its redirects. */
  async open(path: string): Promise<Answer> {
    let page = await this.get(path);
    for (let steps = 0; page.status === 303 && steps < 5; steps++) page = await this.get(page.location);
    return page;
  }

  /** Fills in a form of `page`, with its token, and sends it. */
  async submit(page: string, action: string, fields: Record<string, string>): Promise<Answer> {
    const {text} = await this.open(page);
    return this.post(action, {_csrf: tokenOf(text), _token: tokenIn(text), ...fields});
  }

  post(path: string, fields: Record<string, string>): Promise<Answer> {
    return this.send(path, {method: 'POST', body: new URLSearchParams(fields)});
  }
}

/** The token of a form of the site. */
export function tokenOf(html: string): string {
  return /name="_csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
}

/** The API key on a page; undefined if it shows none. */
export function apiKeyOf(html: string): string | undefined {
  return /id="links-api-key">([^<]*)</.exec(html)?.[1];
}
