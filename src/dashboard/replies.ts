import type {Context} from 'koa';
import type {Fields} from '../http/koa/form-body.ts';
import {type ShortUrl, ShortUrlError} from '../index.ts';
import {languageOf} from '../values/language.ts';
import {rootOf} from './addresses.ts';
import type {Callbacks} from './callbacks.ts';
import type {Assets} from './files/assets.ts';
import {attributes, html} from './html.ts';
import {navigation, userLine} from './parts/navigation.ts';
import {sendAgain} from './parts/pieces.ts';
import {type DashboardRequest, NotFound, type Reply} from './request.ts';
import {type Document, redirectTo, sendDocument, sendFile} from './response.ts';
import type {Settings} from './settings.ts';
import type {Texts} from './texts/en.ts';
import {textsOf} from './texts/texts.ts';

type Message = Exclude<keyof Texts['messages'], 'back' | 'sendAgain'>;

interface Failed {
  readonly path: string;
  readonly error: unknown;
  readonly account: string | undefined;
  /** The fields of a form of the dashboard, to send again if the store was away. */
  readonly sent: Fields | undefined;
}

/** Sends pages, files and redirects, and pages that say what is wrong. */
export class Replies {
  readonly #shortener: Pick<ShortUrl, 'admin'>;
  readonly #settings: Settings;
  readonly #assets: Assets;
  readonly #callbacks: Callbacks;

  constructor(shortener: Pick<ShortUrl, 'admin'>, settings: Settings, assets: Assets, callbacks: Callbacks) {
    this.#shortener = shortener;
    this.#settings = settings;
    this.#assets = assets;
    this.#callbacks = callbacks;
  }

  async send(ctx: Context, request: DashboardRequest, reply: Reply): Promise<void> {
    if ('location' in reply) {
      redirectTo(ctx, reply.location);
    } else if ('body' in reply) {
      sendFile(ctx, reply, 'private');
    } else {
      const {path, language, texts} = request;
      const {title, content, status = 200} = reply;
      const tabs = isForAll(path) ? undefined : navigation(request, await this.#callbacks.userOf(ctx));
      await this.#sendPage(ctx, path, status, {title, content, language, texts, navigation: tabs});
    }
  }

  #sendPage(ctx: Context, path: string, status: number, page: Omit<Document, 'head' | 'isForAll'>): Promise<void> {
    const head = this.#assets.tags(rootOf(path));
    return sendDocument(ctx, this.#settings, status, {...page, head, isForAll: isForAll(path)});
  }

  /**
   * Answers with the page that explains an error.
   *
   * @throws the error itself if it is a fault in the program or the host
   */
  async explain(ctx: Context, {path, error, account, sent}: Failed): Promise<void> {
    // The account was removed while the page was open.
    if (error instanceof NotFound || isAccountGone(error) || (isForAll(path) && isMistake(error))) {
      await this.showMessage(ctx, path, 404, isForAll(path) ? 'notShared' : 'unknownLink');
    } else if (error instanceof ShortUrlError && error.code === 'store_unavailable') {
      ctx.set('Retry-After', String(error.retryAfter ?? 1));
      await this.showMessage(ctx, path, 503, sent === undefined ? 'unavailable' : 'uncertain', {sent});
    } else if (error instanceof ShortUrlError && error.code === 'account_blocked') {
      await this.showMessage(ctx, path, 403, 'accountBlocked', {reason: await this.#blockReasonOf(account)});
    } else if (error instanceof ShortUrlError && error.code === 'too_many_requests') {
      ctx.set('Retry-After', String(error.retryAfter ?? 1));
      await this.showMessage(ctx, path, 429, 'unavailable');
    } else if ((error as {type?: unknown} | undefined)?.type === 'entity.too.large') {
      await this.showMessage(ctx, path, 413, 'tooLarge');
    } else {
      throw error;
    }
  }

  /** Why the operator has blocked an account; undefined if no reason was given, or the store does not answer now. */
  async #blockReasonOf(account = ''): Promise<string | undefined> {
    const info = await this.#shortener.admin.account(account).catch(() => undefined);
    return info?.blockReason;
  }

  async showMessage(
    ctx: Context,
    path: string,
    status: number,
    name: Message,
    {sent, reason}: {readonly sent?: Fields | undefined; readonly reason?: string | undefined} = {},
  ): Promise<void> {
    const language = languageOf(ctx);
    const texts = textsOf(language);
    const {title, text} = texts.messages[name];
    const root = rootOf(path);
    const user = isForAll(path) ? undefined : await this.#callbacks.userOf(ctx);
    const content = html`<div class="links-message">
      <h1>${title}</h1>
      <p>${text}</p>
      ${reason !== undefined && html`<p>${texts.account.reasonIs} <bdi>${reason}</bdi></p>`}
      ${sent && sendAgain(texts, root + path + ctx.search, sent)}
      ${name !== 'accountBlocked' && !isForAll(path) && html`<p><a ${attributes({class: sent === undefined && 'links-button', href: root})}>${texts.messages.back}</a></p>`}
    </div>`;
    await this.#sendPage(ctx, path, status, {
      title,
      content,
      language,
      texts,
      navigation: user && userLine(texts, user),
    });
  }
}

/** Whether it is a page that everybody may read. */
function isForAll(path: string): boolean {
  return path.startsWith('shared/');
}

/** What is wrong with a page that was shared a moment ago: its link was removed, or its account blocked. */
function isMistake(error: unknown): boolean {
  return error instanceof ShortUrlError && error.status < 500 && error.code !== 'too_many_requests';
}

function isAccountGone(error: unknown): boolean {
  return error instanceof ShortUrlError && error.code === 'invalid_api_key';
}
