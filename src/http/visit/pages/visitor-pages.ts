import type {Context} from 'koa';
import {ShortUrlError} from '../../../errors.ts';
import {formatDateTime} from '../../../values/calendar.ts';
import {type LinkRecord, statusOf} from '../../../link/record.ts';
import {inTime} from '../../../values/callback.ts';
import {describe} from '../../../values/describe.ts';
import {languageOf} from '../../../values/language.ts';
import type {FoundLink} from '../../../visits/redirects.ts';
import {contentType} from '../../envelope.ts';
import {pageHeaders} from '../../koa/headers.ts';
import {prefersJson, publicQuery} from '../../koa/request.ts';
import {discardBody} from '../../koa/response.ts';
import {publicMessage} from '../../public-message.ts';
import {type Card, cardOf} from '../cards.ts';
import {formPath, referrerOf} from '../visitor-form.ts';
import type {VisitorServices} from '../visitor-services.ts';
import {policyOfOwnPage} from './layout.ts';
import {BuiltInPages, isReportUrl, type PageName, type PageOf, type RenderPage} from './pages.ts';

const policyHeader = 'Content-Security-Policy';

/** Answers visitors with a page: the host's, or the built-in one. */
export class VisitorPages {
  readonly #dependencies: VisitorServices;
  readonly #builtIn: BuiltInPages;
  readonly #pageHeaders: Readonly<Record<string, string>>;

  constructor(dependencies: VisitorServices) {
    this.#dependencies = dependencies;
    this.#builtIn = new BuiltInPages(dependencies.pages, dependencies.schemes, dependencies.calendar.timeZone);
    this.#pageHeaders = {...pageHeaders, [policyHeader]: this.#builtIn.contentSecurityPolicy};
  }

  /** Answers that the link is over. */
  gone(ctx: Context, record: LinkRecord, status = statusOf(record, this.#dependencies.now())): Promise<true> {
    const message = 'The short URL has expired or is disabled.';
    return this.#show(ctx, 410, 'gone', {shortUrl: this.#shortUrl(record)}, {status, message});
  }

  /** Answers that the link cannot be opened now, and when to retry. */
  unavailable(ctx: Context, error: ShortUrlError): Promise<true> {
    const {code, status, retryAfter = 1} = error;
    ctx.set('Retry-After', String(retryAfter));
    const reason = code === 'too_many_requests' ? code : 'store_unavailable';
    return this.#show(ctx, status, 'unavailable', {reason, retryAfter}, {error: code, message: publicMessage(error)});
  }

  /** @param status 401 after a wrong password, 400 after a form without one */
  password(ctx: Context, status: 200 | 400 | 401, record: LinkRecord): Promise<true> {
    return this.#show(ctx, status, 'password', {...this.#formOf(ctx, record), wasWrong: status === 401});
  }

  /** @param target where the button leads, of which the page shows the host name */
  async confirm(ctx: Context, record: LinkRecord, target: string): Promise<true> {
    const card = cardOf(record) ?? null;
    await this.#show(ctx, 200, 'confirm', {...this.#formOf(ctx, record), host: new URL(target).hostname, card});
    this.#allowImage(ctx, card, 'confirm');
    return true;
  }

  #formOf(ctx: Context, record: LinkRecord) {
    const action = formPath(record, this.#dependencies.bases, publicQuery(ctx));
    return {shortUrl: this.#shortUrl(record), action, referrer: referrerOf(ctx)};
  }

  async preview(ctx: Context, {status, value: record}: FoundLink, destination: string | null = null): Promise<true> {
    const isActive = status === 'active';
    const card = (isActive ? cardOf(record) : undefined) ?? null;
    await this.#show(ctx, 200, 'preview', {
      shortUrl: this.#shortUrl(record),
      destination,
      isActive,
      created: record.state === 'removed' ? null : new Date(record.created),
      card,
    });
    this.#allowImage(ctx, card, 'preview');
    return true;
  }

  #allowImage(ctx: Context, card: Card | null, name: 'confirm' | 'preview'): void {
    if (card?.image && !this.#dependencies.pages[name]) {
      ctx.set(policyHeader, this.#builtIn.policyWithImage(card.image));
    }
  }

  #shortUrl(record: LinkRecord): string {
    return this.#dependencies.bases.shortUrl(record);
  }

  /** @param data the content for a client that prefers JSON; without it every client gets HTML */
  async #show<Name extends PageName>(
    ctx: Context,
    status: number,
    name: Name,
    page: Omit<PageOf<Name>, 'language'>,
    data?: Record<string, string>,
  ): Promise<true> {
    discardBody(ctx);
    ctx.status = status;
    const policyOfSite = [ctx.res.getHeader(policyHeader) ?? []].flat().map(String);
    ctx.set(this.#pageHeaders);
    if (data !== undefined) ctx.vary('Accept');
    if (data !== undefined && prefersJson(ctx)) {
      ctx.set('Content-Type', contentType('json'));
      const date_time = formatDateTime(this.#dependencies.now());
      ctx.body = JSON.stringify({code: status, data: {...data, date_time}});
      return true;
    }
    ctx.vary('Accept-Language');
    ctx.set('Content-Type', 'text/html; charset=utf-8');
    if (this.#dependencies.pages[name] !== undefined)
      ctx.set(policyHeader, policyOfOwnPage(policyOfSite, this.#dependencies.schemes));
    ctx.body = await this.#render(ctx, name, {...page, language: languageOf(ctx)});
    return true;
  }

  /** Where visitors report the link of a page; undefined if the page has none, or if the host's function fails. */
  #reportUrl(ctx: Context, name: PageName, page: {readonly shortUrl?: string}): string | undefined {
    const {pages, announcer} = this.#dependencies;
    const {reportUrl} = pages;
    if (name !== 'confirm' && name !== 'preview') return undefined;
    if (typeof reportUrl !== 'function') return reportUrl;
    try {
      const url: unknown = reportUrl(page.shortUrl ?? '');
      if (isReportUrl(url)) return url;
      throw new TypeError(`Expected an absolute URL, got ${describe(url)}`);
    } catch (cause) {
      const message = "The host's function `pages.reportUrl` failed. The page was shown without the link to report.";
      announcer.reportIn(ctx, new ShortUrlError('internal_error', message, {cause}));
      return undefined;
    }
  }

  async #render(ctx: Context, name: PageName, page: object): Promise<string> {
    const {pages, announcer} = this.#dependencies;
    // TypeScript cannot relate the type of the page to a name that is a variable.
    const builtIn: RenderPage<unknown> = (each) => this.#builtIn[name](each as never, this.#reportUrl(ctx, name, page));
    const own = pages[name] as RenderPage<unknown> | undefined;
    try {
      const html: unknown = await inTime((own ?? builtIn)(page, ctx));
      if (typeof html !== 'string') throw new TypeError(`Expected a string of HTML, got ${typeof html}`);
      return html;
    } catch (cause) {
      const message = `The host's page \`${name}\` failed. The built-in page was shown.`;
      announcer.reportIn(ctx, new ShortUrlError('internal_error', message, {cause}));
      // The host's page may have set other headers before it failed.
      ctx.set(this.#pageHeaders);
      return builtIn(page, ctx);
    }
  }
}
