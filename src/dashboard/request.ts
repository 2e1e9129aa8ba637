import type {AccountDescription} from './options.ts';
import type {Fields} from '../http/koa/form-body.ts';
import {type Link, type PageLanguage, type ShortUrl, ShortUrlError} from '../index.ts';
import type {Formats} from './formats.ts';
import type {Html} from './html.ts';
import type {Texts} from './texts/en.ts';
import type {Watch} from './watch.ts';

/** A request of a logged-in user, as a page or an action gets it. */
export interface DashboardRequest {
  readonly shortener: ShortUrl;
  readonly account: string;
  /** The base URLs on which the account may create links. Asks the host. Never rejects. */
  readonly baseUrls: () => Promise<readonly string[]>;
  /** Undefined if no secret of the site decrypts it. */
  readonly apiKey: string | undefined;
  readonly isAdmin: boolean;
  /** The host's description of an account; empty if there is none. Requested once for a page. Never rejects. */
  readonly describeAccount: (account: string) => Promise<AccountDescription>;
  /** The accounts that the host finds; undefined if it fails. Without it, accounts are found by their ids. */
  readonly findAccounts: ((text: string) => Promise<readonly string[] | undefined>) | undefined;
  readonly watch: Pick<Watch, 'refusalsOn'>;
  readonly hasApi: boolean;
  readonly hasShares: boolean;
  /** Whether the pages show conversions: the site tells which link brought a customer. */
  readonly hasConversions: boolean;
  /** The site's word for so many conversions of a name, by default several, in the language of the page. */
  readonly conversionName: (name: string, count?: number) => string;
  readonly token: string;
  readonly language: PageLanguage;
  readonly texts: Texts;
  readonly formats: Formats;
  /** The path below the dashboard, without a leading slash: empty for the home page. */
  readonly path: string;
  /**
   * The relative address of the home page. Every address within the dashboard begins with it, so they work under koa-mount,
   * and behind proxies that remove a prefix.
   */
  readonly root: string;
  readonly query: URLSearchParams;
  /** The posted form; empty for a GET. */
  readonly form: Fields;
  /** The bytes of the file that was posted with it; empty if none was chosen. */
  readonly file: Uint8Array | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** `yyyy-mm-dd`, in the time zone of the site. */
  readonly today: string;
}

export interface PageReply {
  readonly status?: number | undefined;
  readonly title: string;
  readonly content: Html;
}

export interface RedirectReply {
  /** Relative to the current page, or an address of the host. */
  readonly location: string;
}

/** A file, such as a picture. */
export interface FileReply {
  readonly type: string;
  readonly body: string | Buffer;
  /** How long the browser may cache the file, in seconds; 0 for not at all. */
  readonly maxAge: number;
  /** The name of a file that is saved and not shown. */
  readonly download?: string;
}

export type Reply = PageReply | RedirectReply | FileReply;

export type Handler = (request: DashboardRequest) => Promise<Reply> | Reply;

/** Thrown if something does not exist or the user has no right to it; the answer is the same for both. */
export class NotFound extends Error {
  override readonly name = 'NotFound';
}

/** A link of the account; undefined if it has none there, for example because it was removed since a list was shown. */
export function linkIfOwn({shortener, account}: DashboardRequest, shortUrl: string): Promise<Link | undefined> {
  return ifOwn(shortener.links.info(account, shortUrl));
}

/** @throws NotFound for a link that the account does not have */
export function ownLink({shortener, account}: DashboardRequest, shortUrl: string): Promise<Link> {
  return ofOwnLink(shortener.links.info(account, shortUrl));
}

/**
 * What is read of one link of the account, where several reads run at once.
 *
 * @throws NotFound for a link that the account does not have
 */
export async function ofOwnLink<Read>(reading: Promise<Read>): Promise<Read> {
  const read = await ifOwn(reading);
  if (read === undefined) throw new NotFound();
  return read;
}

function ifOwn<Read>(reading: Promise<Read>): Promise<Read | undefined> {
  return reading.catch((error: unknown) => {
    if (error instanceof ShortUrlError && error.code === 'unknown_short_url') return undefined;
    throw error;
  });
}

/** How many links are read at once. */
const readAtOnce = 50;

/** Reads what belongs to each of many links or rows, some at once. */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  read: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const found: Result[] = [];
  for (let start = 0; start < items.length; start += readAtOnce) {
    found.push(...(await Promise.all(items.slice(start, start + readAtOnce).map(read))));
  }
  return found;
}
