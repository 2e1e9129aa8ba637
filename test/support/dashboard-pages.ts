import type {Middleware} from 'koa';
import type {StageOptions, Visitor} from './dashboard.ts';

type Assembly = Required<Pick<StageOptions, 'assemble'>>;

/** The address of the page of a link. */
export function linkPath(shortUrl: string): string {
  return `link?short_url=${encodeURIComponent(shortUrl)}`;
}

/** The address of the page before or after this one, without a fragment; empty for none. */
export function addressOf(html: string, rel: 'prev' | 'next'): string {
  const [link = ''] = new RegExp(`<a[^>]*rel="${rel}"[^>]*>`).exec(html) ?? [];
  return /href="([^"#]*)/.exec(link)?.[1]?.replaceAll('&amp;', '&') ?? '';
}

/** Mounts the dashboard in an app whose errors are kept. */
export function keeping(faults: unknown[]): Assembly {
  return {
    assemble(app, {shortener, pages}) {
      app.on('error', (error: unknown) => faults.push(error));
      app.use(shortener).use(pages);
      return undefined;
    },
  };
}

/** Mounts the dashboard between two middlewares of the host. */
export function between(first?: Middleware, last?: Middleware): Assembly {
  return {
    assemble(app, {shortener, pages}) {
      for (const each of [first, shortener, pages, last]) if (each) app.use(each);
      return undefined;
    },
  };
}

/** The pages of a list from an address on, in one direction. */
export async function pagesFrom(visitor: Visitor, first: string, rel: 'prev' | 'next'): Promise<string[]> {
  const pages: string[] = [];
  for (let address = first; address !== ''; address = addressOf(pages.at(-1) ?? '', rel)) {
    pages.push((await visitor.get(address)).text);
  }
  return pages;
}
