import {planted} from '../../planted.ts';
import type {Context} from 'koa';
import type {SiteKey} from '../../accounts/site-key.ts';
import {ShortUrlError} from '../../errors.ts';
import {parseLongUrl, targetOfUrl} from '../../link/long-url.ts';
import {maxTarget, maxUrl} from '../../values/parse-url.ts';
import type {Rule, VisitedLink} from '../../link/link.ts';
import {type LinkRecord, targetOf} from '../../link/record.ts';
import {
  conditions,
  conditionsIn,
  type Lot,
  matchingRule,
  otherVariant,
  variantOf,
  variantsOf,
} from '../../link/rules.ts';
import {type Utm, utmQuery} from '../../link/utm.ts';
import type {LinkServices} from '../../links/services.ts';
import {inTime} from '../../values/callback.ts';
import {preferredLanguage} from '../../values/language.ts';
import type {Details} from '../../visits/detail-values.ts';
import type {Decided, FoundLink, Redirects} from '../../visits/redirects.ts';
import {addressOf, clientOf} from '../koa/client-address.ts';
import {publicQuery} from '../koa/request.ts';
import {deviceOf} from './agents.ts';
import {drawOf} from './lots.ts';

/** The host's own choice of a destination; undefined for that of the link. */
export type ChooseDestination = (ctx: Context, link: VisitedLink) => string | undefined | Promise<string | undefined>;

export interface DestinationDependencies extends Pick<
  LinkServices,
  'bases' | 'calendar' | 'schemes' | 'announcer' | 'fieldDefaults' | 'now'
> {
  readonly redirects: Pick<Redirects, 'find' | 'shown'>;
  readonly destination: ChooseDestination | undefined;
  /** The parameter of `attribution`; undefined without it. */
  readonly ownParameter?: string | undefined;
  readonly siteKey: Pick<SiteKey, 'digest'>;
  /** The variant of a link that a visitor has seen before; undefined if that is not known. */
  readonly seenVariant?: ((ctx: Context, link: LinkRecord) => Promise<string | undefined>) | undefined;
}

export class Destinations {
  readonly #dependencies: DestinationDependencies;
  /** The targets of cached links with their campaigns. Each link has its own object for its campaign, and few targets. */
  readonly #kept = new WeakMap<Utm, Map<string, string>>();
  readonly #isAsked: boolean;

  constructor(dependencies: DestinationDependencies) {
    this.#dependencies = dependencies;
    this.#isAsked = dependencies.destination !== undefined;
  }

  /** Whether the host chooses, or a variant is drawn, before a visit of the link is counted. */
  isDecidedFirst({isSplit}: LinkRecord): boolean {
    return this.#isAsked || isSplit === true;
  }

  /**
   * The host's choice, and the variant of a link whose visits are counted by variant.
   *
   * @throws ShortUrlError `store_unavailable`
   */
  async decide(ctx: Context, found: FoundLink, details: Details): Promise<Decided> {
    const destination = await this.#ask(ctx, found);
    const {rules = [], isSplit} = found.value;
    if (!isSplit) return {destination};
    if (destination !== undefined) return {destination, variant: otherVariant};
    const lot = rules.some(({share}) => share !== undefined) ? await this.#lotOf(ctx, found.value) : undefined;
    return {destination, variant: variantOf(this.#ruleFor(ctx, rules, details, lot), rules)};
  }

  /** @throws ShortUrlError `store_unavailable` if the key of the site is not known yet */
  async #lotOf(ctx: Context, link: LinkRecord): Promise<Lot> {
    const {siteKey, seenVariant} = this.#dependencies;
    // Read it now: Koa loses the address when the connection closes.
    const client = clientOf(addressOf(ctx));
    const kept = await seenVariant?.(ctx, link);
    return {draw: await drawOf(siteKey, link, client, ctx.get('User-Agent')), kept};
  }

  /** Whether every visitor of the link is redirected to the same URL. */
  isPlain(record: LinkRecord): boolean {
    return record.rules === undefined && !this.#forwards(record);
  }

  /**
   * The target of a link for a visitor, by its rules. Adds to `Vary` what the choice depends on. It has the campaign
   * already, unless `forward` adds that after the query of the visit.
   *
   * @param decided what `decide` returned, if it was asked
   */
  choose(ctx: Context, record: LinkRecord, details: Details, {destination, variant}: Decided = {}): string {
    const target = destination ?? this.#ofRules(ctx, record, details, variant) ?? targetOf(record);
    const {utm} = record;
    if (utm === undefined || this.#forwards(record)) return target;
    return destination === undefined ? this.#keptWithUtm(target, utm) : withUtm(target, utm);
  }

  /**
   * A target with the query of the visit, if the link forwards it. The parameter of `attribution` is never taken from there:
   * it would give the credit of this link to another one.
   */
  forward(ctx: Context, record: LinkRecord, target: string): string {
    if (!this.#forwards(record)) return target;
    const forwarded = withQuery(target, publicQuery(ctx), this.#dependencies.ownParameter);
    return record.utm === undefined ? forwarded : withUtm(forwarded, record.utm);
  }

  #forwards({forwardQuery = this.#dependencies.fieldDefaults.forwardQuery}: LinkRecord): boolean {
    return forwardQuery;
  }

  /** A target of the link itself with its campaign. Parsing it takes almost half as long as a redirect. */
  #keptWithUtm(target: string, utm: Utm): string {
    const kept = this.#kept.get(utm) ?? new Map<string, string>();
    const url = kept.get(target) ?? withUtm(target, utm);
    this.#kept.set(utm, kept.set(target, url));
    return url;
  }

  /** Asks the host. Never rejects: a failure or a wrong answer is reported, and the link's own destination is used. */
  async #ask(ctx: Context, found: FoundLink): Promise<string | undefined> {
    const {destination, redirects, announcer, now} = this.#dependencies;
    if (destination === undefined) return undefined;
    try {
      const url: unknown = await inTime(destination(ctx, redirects.shown(found, now())));
      return url === undefined ? undefined : await this.#check(url);
    } catch (cause) {
      const message = "The host's `destination` failed. The visitor was redirected to the link's own destination.";
      announcer.reportIn(ctx, new ShortUrlError('internal_error', message, {cause}));
      return undefined;
    }
  }

  /** A page of the site may have the form of a short URL, so the link is looked up. */
  async #check(url: unknown): Promise<string> {
    if (typeof url !== 'string') throw new TypeError(`Expected a long URL or undefined, got ${typeof url}`);
    const {bases, redirects, schemes} = this.#dependencies;
    const {target} = parseLongUrl(url, 'long URL', schemes);
    const name = bases.parseShortUrl(target);
    const isOwn = bases.isApiUrl(target) || (name !== undefined && (await redirects.find(name)).status !== 'unknown');
    if (!isOwn) return target;
    throw new TypeError('Expected a long URL outside the short URLs and the API of this site');
  }

  /** @param variant that of a rule, which was drawn */
  #ofRules(ctx: Context, {rules}: LinkRecord, details: Details, variant: string | undefined): string | undefined {
    if (rules === undefined) return undefined;
    const rule = variant === undefined ? this.#ruleFor(ctx, rules, details) : rules[variantsOf(rules).indexOf(variant)];
    return rule && targetOfUrl(rule.url);
  }

  #ruleFor(ctx: Context, rules: readonly Rule[], details: Details, lot?: Lot): Rule | undefined {
    const names = conditionsIn(rules);
    for (const name of names) {
      const {header} = conditions[name];
      if (header !== undefined) ctx.vary(header);
    }
    const {calendar, now} = this.#dependencies;
    const visitor = {
      device: () => deviceOf(ctx.get('User-Agent')),
      language: () => preferredLanguage(ctx),
      detail: (name: string) => details[name],
      today: () => (planted('rule-day-utc') ? new Date(now()).toISOString().slice(0, 10) : calendar.dateOf(now())),
    };
    return matchingRule(rules, names, visitor, lot);
  }
}

/** Whether a rule of the link needs the details of a visit. */
export function needsDetails({rules}: LinkRecord): boolean {
  return rules !== undefined && conditionsIn(rules).some((name) => conditions[name].needsDetails);
}

/**
 * A URL with the parameters of a query that it does not have. It stays without them if it is signed, if the query or the
 * result would be too long, or if it is a phone number, which has no query, or a mail, whose headers these would be.
 */
function withQuery(target: string, query: string, ownParameter: string | undefined): string {
  if (query === '' || query.length > maxUrl) return target;
  const url = new URL(target);
  if (isSigned(url) || ['mailto:', 'tel:'].includes(url.protocol)) return target;
  const own = new Set([...url.searchParams.keys(), ownParameter]);
  const added = pairsOf(query).filter(({name}) => !own.has(name));
  if (added.length === 0) return target;
  url.search = `?${[url.search.slice(1), ...added.map(({pair}) => pair)].filter((part) => part !== '').join('&')}`;
  return url.href.length > maxTarget ? target : url.href;
}

/** A web address with the parts of a campaign that it does not have. */
function withUtm(target: string, utm: Utm): string {
  return /^https?:/.test(target) ? withQuery(target, utmQuery(utm), undefined) : target;
}

/** The parameters of a query, each with its name as a site reads it: `%76ia` is `via`. */
export function pairsOf(query: string): Array<{readonly pair: string; readonly name: string}> {
  const pairs = query.split('&').filter((pair) => pair !== '');
  const names = Array.from(new URLSearchParams(`?${pairs.join('&')}`).keys());
  return pairs.map((pair, index) => ({pair, name: names[index] ?? ''}));
}

/** Whether a URL is presigned, as those of S3 and CloudFront are. A further parameter would make its signature wrong. */
export function isSigned({searchParams}: URL): boolean {
  return Array.from(searchParams.keys()).some((name) => /(?:^|[-_])(?:signature|sig|hmac)$/i.test(name));
}
