import type {Middleware} from 'koa';
import type {ShortUrlOptions} from '../src/index.ts';

/** The host of all requests. */
export const host = 'example.com';

/** Where every link leads. */
export const target = 'https://destination.example/a/page/of/some/length?number=1';

/** The links of a measured server. */
export interface MeasuredLinks {
  readonly middleware: Middleware;
  /** Creates a link, and returns its path. Absent if all links are given at the start. */
  create?(): Promise<string>;
  /** The visits of all links. */
  visits(): Promise<number>;
  close(): Promise<void>;
}

/** The links of the built package, because that is what hosts run. */
export async function packaged(options: Partial<ShortUrlOptions>): Promise<MeasuredLinks> {
  const built = new URL('../dist/index.js', import.meta.url).href;
  const {shortUrl} = (await import(built)) as typeof import('../src/index.ts');
  const shortener = shortUrl({baseUrl: `http://${host}`, ...options});
  await shortener.ready();
  await shortener.accounts.create('measured');
  const {links} = shortener;
  return {
    middleware: shortener,
    create: async () => new URL((await links.create('measured', {url: target})).shortUrl).pathname,
    visits: async () => {
      let visits = 0;
      for await (const {totalVisits} of links.list('measured')) visits += totalVisits;
      return visits;
    },
    close: () => shortener.close(),
  };
}
