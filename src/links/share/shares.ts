import {planted} from '../../planted.ts';
import {nanoid} from 'nanoid';
import {type Account, accountRemoved, type Accounts} from '../../accounts/accounts.ts';
import {digestApiKey, positionIn, secretLength, withPosition} from '../../accounts/api-key.ts';
import type {SiteKey} from '../../accounts/site-key.ts';
import {ShortUrlError} from '../../errors.ts';
import {formatExpiryDate, readExpiryDate} from '../../link/dates.ts';
import {tagList} from '../../link/fields.ts';
import {isBlockOpen, isListed} from '../../link/record.ts';
import {linkRecords} from '../../link/records.ts';
import {kind, type RecordOf} from '../../store/kind.ts';
import {malformed, readAs, reader, readFields, readOptions} from '../../values/input.ts';
import {choice, count, line, moment, text, time} from '../../values/shape.ts';
import {listOf, object, optional} from '../../values/objects.ts';
import {findOwn} from '../own-link.ts';
import type {LinkServices} from '../services.ts';

export const maxShares = 100;

const figures = ['visits', 'conversions', 'amounts'] as const;

/** Numbers that a shared page can show. `amounts` are the values of conversions. */
export type SharedFigure = (typeof figures)[number];

const shown = listOf(choice(figures), figures.length, 1);

export const shareRecords = kind('shares', {
  keys: ['shares:<generation>'],
  content: 'the pages with numbers of a link or a tag that an account shares, with the digests of their tokens',
  key: (generation: string) => [generation],
  form: listOf(
    object({
      id: text,
      digest: text,
      /** The short part of another link may be the same later, the id is not. */
      link: optional(object({domain: text, slug: text, id: count})),
      tag: optional(text),
      show: shown,
      /** When it ends, in milliseconds since the epoch. */
      until: optional(time),
    }),
  ),
  names: 'links',
  removed: 'by key',
  ofAccount: ({generation}) => (planted('shares-left') ? [] : [generation]),
});

type ShareRecord = RecordOf<typeof shareRecords>[number];

/** What to share: a link, by its short URL, or the links with a tag. */
export type SharedSubject = string | {readonly tag: string};

/** How to share it. */
export interface ShareOptions {
  /** The numbers that the page shows; by default the visits. */
  readonly show?: readonly SharedFigure[] | undefined;
  /** The last day or second on which the page can be read, as in `expiryDate`; by default it has none. */
  readonly until?: string | Date | undefined;
}

/** A page with the numbers of a link, or of the links with a tag, that everybody with its address can read. */
export interface Share {
  /** Identifies it for its account. It is not in the address. */
  readonly id: string;
  /** The address, which is the secret. */
  readonly url: string;
  /** Of a link. */
  readonly shortUrl?: string;
  /** Of the links with a tag. */
  readonly tag?: string;
  readonly show: readonly SharedFigure[];
  /** The last second on which it can be read: `yyyy-mm-dd hh:mm:ss`, UTC; null if it has none. */
  readonly until: string | null;
}

/** The operations on the pages that an account shares. They need a dashboard in this process, which shows these pages. */
export interface ShareOperations<Owner> {
  /**
   * Shares the numbers of a link or a tag: resolves with the address of a page that needs no login. It ends with the link,
   * with the account, and cannot be read while the operator has blocked one of them. An account has at most 100.
   *
   * @throws ShortUrlError `unknown_short_url`, `malformed_parameter` or `invalid_expiry_date`; TypeError
   *   without a dashboard, or if its option `share` is false
   * @example
   * const {url} = await shortener.links.share(user.id, {tag: 'spring'}, {show: ['visits', 'conversions'], until: '2030-12-31'});
   */
  share(account: Owner, subject: SharedSubject, options?: ShareOptions): Promise<Share>;
  /**
   * What the account shares now, the oldest first.
   *
   * @example
   * for (const {id, url, until} of await shortener.links.shares(user.id)) console.log(id, url, until);
   */
  shares(account: Owner): Promise<Share[]>;
  /**
   * Stops sharing a page at once, in every process. Idempotent.
   *
   * @example
   * const {id} = await shortener.links.share(user.id, shortUrl);
   * await shortener.links.unshare(user.id, id);
   */
  unshare(account: Owner, id: string): Promise<void>;
}

export interface SharedPage extends Omit<Share, 'url'> {
  readonly account: string;
}

interface SharesDependencies extends Pick<LinkServices, 'store' | 'bases' | 'calendar' | 'now'> {
  readonly accounts: Pick<Accounts, 'at' | 'find'>;
  readonly siteKey: Pick<SiteKey, 'lasting' | 'known'>;
}

/**
 * The pages that accounts share. A token has the form of an API key, so that `redactUrl` hides it: a keyed digest of the
 * account's generation and the id of the page, which its account can see again and nobody who has only the store, and the
 * position of the account, masked so that it does not tell which account it is.
 */
export class Shares implements ShareOperations<Account & {readonly position: number}> {
  readonly #dependencies: SharesDependencies;
  #root: (() => string) | undefined;

  constructor(dependencies: SharesDependencies) {
    this.#dependencies = dependencies;
  }

  /** @param root gives the URL of the dashboard that shows the pages, without a slash at its end */
  showAt(root: () => string): void {
    this.#root ??= root;
  }

  async share(
    account: Account & {readonly position: number},
    subject: SharedSubject,
    options: ShareOptions = {},
  ): Promise<Share> {
    this.#address('');
    const {accounts, calendar, now, store} = this.#dependencies;
    const {show = ['visits' as const], until} = readOptions(options, 'A page is shared with', {
      show: reader(shown),
      until: readAs(moment, (given) => readExpiryDate(given, calendar, now())),
    });
    const id = nanoid(10);
    const token = await this.#tokenOf(account, id);
    const made: ShareRecord = {
      id,
      digest: digestApiKey(token),
      ...(await this.#read(account, subject)),
      show: [...new Set(show)],
      ...(until !== undefined && {until}),
    };
    const records = shareRecords.in(store);
    await records.upsert(account.generation, async (before = []) => {
      const kept = await this.#present(account, before);
      if (kept.length < maxShares) return [...kept, made];
      throw malformed(`An account shares at most ${maxShares} pages at once. End one first.`);
    });
    if ((await accounts.find(account.id))?.generation !== account.generation) {
      await records.remove(account.generation);
      throw accountRemoved();
    }
    return this.#toShare(made, token);
  }

  async shares(account: Account & {readonly position: number}): Promise<Share[]> {
    this.#address('');
    const stored = (await shareRecords.in(this.#dependencies.store).get(account.generation))?.value ?? [];
    const present = await this.#present(account, stored);
    return Promise.all(present.map(async (each) => this.#toShare(each, await this.#tokenOf(account, each.id))));
  }

  async unshare({generation}: Account, id: string): Promise<void> {
    await shareRecords.in(this.#dependencies.store).update(generation, (before) => {
      const rest = before.filter((each) => each.id !== id);
      return rest.length < before.length ? rest : undefined;
    });
  }

  /** What may be read with a token; undefined if it is unknown, has ended, or is blocked. */
  async find(token: string): Promise<SharedPage | undefined> {
    const {accounts, siteKey, store, now} = this.#dependencies;
    const position = positionIn(token);
    const mask = position === undefined ? undefined : await siteKey.known(maskOf(token));
    if (position === undefined || mask === undefined) return undefined;
    const account = await accounts.at(masked(position, mask));
    if (account === undefined || (!planted('shared-of-blocked-account') && isBlockOpen(account.blocks)))
      return undefined;
    const stored = (await shareRecords.in(store).get(account.generation))?.value ?? [];
    const found = stored.find(({digest}) => digest === digestApiKey(token));
    if (found === undefined || (found.until !== undefined && found.until <= now())) return undefined;
    const link = found.link && (await linkRecords.in(store).get(found.link))?.value;
    if ((!planted('shared-though-blocked') && link?.isBlocked) || (await this.#present(account, [found])).length === 0)
      return undefined;
    return {account: account.id, ...this.#toShared(found)};
  }

  async #present({generation}: Account, all: readonly ShareRecord[]): Promise<ShareRecord[]> {
    const {store, now} = this.#dependencies;
    const names = all.flatMap(({link}) => link ?? []);
    const entries = await linkRecords.in(store).getMany(names);
    const ids = new Set(
      entries.flatMap((entry) =>
        entry && isListed(entry.value) && entry.value.generation === generation ? [entry.value.id] : [],
      ),
    );
    return all.filter(
      ({link, until}) => (link === undefined || ids.has(link.id)) && (until === undefined || until > now()),
    );
  }

  async #read(account: Account, subject: unknown): Promise<Pick<ShareRecord, 'link' | 'tag'>> {
    if (typeof subject === 'string') {
      const {domain, slug, id} = (await findOwn(this.#dependencies, account, subject)).value;
      return {link: {domain, slug, id}};
    }
    const {tag} = readFields(subject, 'What is shared is a short URL, or has', {
      tag: reader(line(tagList.maxItem), 'tag'),
    });
    if (tag === undefined)
      throw new ShortUrlError('missing_parameter', 'The short URL or the tag to share is missing.');
    return {tag};
  }

  async #tokenOf({generation, position}: {readonly generation: string; readonly position: number}, id: string) {
    const {siteKey} = this.#dependencies;
    const digest = await siteKey.lasting(JSON.stringify([shareRecords.name, generation, id]));
    const secret = digest.slice(0, secretLength);
    return withPosition(secret, masked(position, await siteKey.lasting(maskOf(secret))));
  }

  #toShare(record: ShareRecord, token: string): Share {
    const {id, ...rest} = this.#toShared(record);
    return {id, url: this.#address(token), ...rest};
  }

  #toShared({id, link, tag, show, until}: ShareRecord): Omit<Share, 'url'> {
    return {
      id,
      ...(link && {shortUrl: this.#dependencies.bases.shortUrl(link)}),
      ...(tag !== undefined && {tag}),
      show,
      until: until === undefined ? null : formatExpiryDate(until),
    };
  }

  /** @throws TypeError without a dashboard that shows the pages */
  #address(token: string): string {
    if (this.#root !== undefined) return `${this.#root()}/shared/${token}`;
    throw new TypeError(
      'Numbers are shared on a page of the dashboard: create one in this process, without `share: false`',
    );
  }
}

function maskOf(token: string): string {
  return JSON.stringify([shareRecords.name, token.slice(0, secretLength)]);
}

/** Masks the position of an account with 48 bits of a digest, or unmasks it. */
function masked(position: number, digest: string): number {
  return Number(BigInt(position) ^ BigInt(Buffer.from(digest, 'base64url').readUIntBE(0, 6)));
}
