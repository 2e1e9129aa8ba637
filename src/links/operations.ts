import type {
  ActivePage,
  CompareQuery,
  CompareTagsQuery,
  LinkComparison,
  LinkFilter,
  LinkPage,
  LinkQuery,
  Page,
  TagComparison,
} from './read/listed-links.ts';
import type {
  CreateLink,
  CreateOptions,
  CreateResult,
  Link,
  LinkChange,
  LinkIdentifier,
  RemovedLink,
  UpdateLink,
  UpdateResult,
} from '../link/link.ts';
import type {LinkStats, StatsQuery, TagLinks} from './stats/statistics.ts';
import type {QrCode, QrFormat, QrOptions} from './qr/qr-code.ts';

/**
 * The operations of the HTTP API as methods. They reject with a `ShortUrlError`: `invalid_api_key` if there is no such
 * account, `account_blocked` if the operator has blocked it, `unknown_short_url` if the account has no link with that
 * full short URL. docs/reference.md lists the other codes. An account that is neither a string of 1 to 255 characters nor
 * a safe integer is a TypeError.
 */
export interface LinkOperations<Owner> {
  /**
   * Creates a link.
   *
   * @throws ShortUrlError the code of the first invalid value; `custom_url_taken`, `reference_taken`, `forbidden_url`,
   *   `idempotency_key_reused` or `too_many_requests`
   * @example
   * const {shortUrl} = await shortener.links.create(user.id, {url: 'https://example.org/a/long/one', title: 'Spring'});
   */
  create(account: Owner, link: CreateLink, options?: CreateOptions): Promise<Link>;
  /**
   * Creates many links, up to 50 at once, and yields the results in order. An error of one link does not affect the
   * others. The input is read only as fast as the results are consumed. An error of the input is thrown after the
   * results of the links before it.
   *
   * @example
   * for await (const {link, error} of shortener.links.createMany(user.id, [{url: 'https://example.org/one'}])) {
   *   console.log(error?.code ?? link?.shortUrl);
   * }
   */
  createMany(
    account: Owner,
    links: Iterable<CreateLink> | AsyncIterable<CreateLink>,
    options?: CreateOptions,
  ): AsyncGenerator<CreateResult>;
  /**
   * Changes many links: their fields, as `update` does, or their status, but not both in one change. Otherwise it works
   * as `createMany` does. Changes to the same link are made in order. For a removed link it yields the result of `remove`.
   *
   * @example
   * const changes: LinkChange[] = [{shortUrl, changes: {status: 'disabled'}}];
   * for await (const {error} of shortener.links.updateMany(user.id, changes)) if (error) console.error(error);
   */
  updateMany(account: Owner, changes: Iterable<LinkChange> | AsyncIterable<LinkChange>): AsyncGenerator<UpdateResult>;
  /**
   * Changes the given fields. Once it resolves, all visitors get the changed link.
   *
   * @throws ShortUrlError `link_blocked`, `reference_taken`, or the code of the first invalid value
   * @example
   * await shortener.links.update(user.id, shortUrl, {title: 'Summer', expiryDate: null}); // null clears
   */
  update(account: Owner, shortUrl: string, changes: UpdateLink): Promise<Link>;
  /**
   * Removes a link for good: it answers 410, and only this account can use its short part again.
   *
   * @example
   * await shortener.links.remove(user.id, shortUrl);
   */
  remove(account: Owner, shortUrl: string): Promise<RemovedLink>;
  /**
   * Disables a link. No redirect begins after the promise has resolved. Idempotent.
   *
   * @example
   * await shortener.links.disable(user.id, shortUrl);
   */
  disable(account: Owner, shortUrl: string): Promise<Link>;
  /**
   * Enables a disabled link. Idempotent.
   *
   * @throws ShortUrlError `link_expired` or `link_blocked`
   * @example
   * await shortener.links.enable(user.id, shortUrl);
   */
  enable(account: Owner, shortUrl: string): Promise<Link>;
  /**
   * The link with its visit total, by its short URL or as `{reference}`.
   *
   * @example
   * const link = await shortener.links.info(user.id, {reference: 'order 1001'});
   */
  info(account: Owner, link: LinkIdentifier): Promise<Link>;
  /**
   * The visits of a link by day and by detail.
   *
   * @example
   * const {totalVisits, days} = await shortener.links.stats(user.id, shortUrl, {from: '2030-01-01', until: '2030-01-31'});
   */
  stats(account: Owner, shortUrl: string, query?: StatsQuery): Promise<LinkStats>;
  /**
   * The QR code of a link: the text of an SVG, or the bytes of a PNG.
   *
   * @throws ShortUrlError `malformed_parameter`
   * @example
   * ctx.type = 'image/png';
   * ctx.body = await shortener.links.qr(user.id, shortUrl, {format: 'png', size: 600});
   */
  qr<Format extends QrFormat = 'svg'>(
    account: Owner,
    shortUrl: string,
    options?: QrOptions<Format>,
  ): Promise<QrCode<Format>>;
  /**
   * A page of links, by default the newest first.
   *
   * @throws ShortUrlError `malformed_parameter`, or `too_many_links` for an order by visits or conversions
   * @example
   * const {links, nextCursor} = await shortener.links.page(user.id, {tag: 'mail', order: 'visits', limit: 20});
   */
  page(account: Owner, query?: LinkQuery): Promise<LinkPage>;
  /**
   * The tags of all links, the most used first. Reads the whole list, in bounded memory apart from the tags.
   *
   * @example
   * for (const {tag, links} of await shortener.links.tags(user.id)) console.log(tag, links);
   */
  tags(account: Owner): Promise<TagLinks[]>;
  /**
   * A page of the links by what they had in a span of days: visits, conversions and their values. Reads all links that
   * match with their counters, and is up to a minute old.
   *
   * @throws ShortUrlError `malformed_parameter`, `unknown_parameter`, or `too_many_links` if more than 10,000 links match
   * @example
   * const {most} = await shortener.links.compare(user.id, {from: '2030-11-01', until: '2030-11-30', order: 'value'});
   */
  compare(account: Owner, query?: CompareQuery): Promise<LinkComparison>;
  /**
   * A page of the tags by what their links had in a span of days, or of the sources, media or campaigns (`by`) of links
   * with `utm`. It reads the links that `compare` reads.
   *
   * @example
   * const {tags} = await shortener.links.compareTags(user.id, {from: '2030-11-01', by: 'campaign', order: 'conversions'});
   */
  compareTags(account: Owner, query?: CompareTagsQuery): Promise<TagComparison>;
  /**
   * All links that match the filter, by default the oldest first, in bounded memory.
   *
   * @example
   * for await (const link of shortener.links.list(user.id, {status: 'active'})) console.log(link.shortUrl);
   */
  list(account: Owner, filter?: LinkFilter): AsyncGenerator<Link>;
  /**
   * All active links, the oldest first, in bounded memory.
   *
   * @example
   * for await (const {shortUrl} of shortener.links.listActive(user.id)) console.log(shortUrl);
   */
  listActive(account: Owner): AsyncGenerator<Pick<Link, 'shortUrl'>>;
  /**
   * A page of the active links, the oldest first.
   *
   * @example
   * const {urls, nextCursor} = await shortener.links.pageActive(user.id, {limit: 50});
   */
  pageActive(account: Owner, page?: Page): Promise<ActivePage>;
}
