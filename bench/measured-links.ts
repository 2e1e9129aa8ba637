import type {Middleware} from 'koa';
import type {CreateLink, ShortUrlOptions} from '../src/index.ts';

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

/** What a measured visit uses besides counting. */
export interface Visited {
  /** The folder of a build; by default that of this one. */
  readonly dist?: URL;
  readonly options?: Partial<ShortUrlOptions>;
  readonly input?: Partial<CreateLink>;
  /** Whether the host listens to visits. */
  readonly isHeard?: boolean;
}

/** The links of the built package, because that is what hosts run. */
export async function packaged(
  options: Partial<ShortUrlOptions>,
  {dist = new URL('../dist/', import.meta.url), options: more = {}, input = {}, isHeard = false}: Visited = {},
): Promise<MeasuredLinks> {
  const {shortUrl} = (await import(new URL('index.js', dist).href)) as typeof import('../src/index.ts');
  const shortener = shortUrl({baseUrl: `http://${host}`, ...options, ...more});
  await shortener.ready();
  await shortener.accounts.create('measured');
  const {links, events} = shortener;
  if (isHeard) events.on('visit', () => undefined);
  return {
    middleware: shortener,
    create: async () => new URL((await links.create('measured', {url: target, ...input})).shortUrl).pathname,
    visits: async () => {
      let visits = 0;
      for await (const {totalVisits} of links.list('measured')) visits += totalVisits;
      return visits;
    },
    close: () => shortener.close(),
  };
}
