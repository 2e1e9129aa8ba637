import type {Context} from 'koa';
import type {Bases, LinkName} from '../links/bases.ts';
import {warn} from '../warnings.ts';

/** New links that are watched at most; the oldest are left out first. */
const maxWatched = 1000;

/** In characters: the host comes from the client. */
const maxHost = 100;

/**
 * Warns of a site on which no short URL can answer, once for each reason. It costs no read of the store: it knows the
 * links that this process has created, and watches them only until the first link has answered.
 */
export class Advice {
  readonly #bases: Bases;
  /** Undefined once it is known that links can answer, or the warning was given. */
  #watched: Map<string, LinkName> | undefined = new Map();
  #isHostTold = false;

  constructor(bases: Bases) {
    this.#bases = bases;
  }

  /** A link was created by this process. */
  watch(link: LinkName): void {
    if (this.#watched === undefined) return;
    this.#watched.set(keyOf(link), {domain: link.domain, slug: link.slug});
    if (this.#watched.size > maxWatched) this.#watched.delete(String(this.#watched.keys().next().value));
  }

  /** A link has answered, so links can. */
  linkAnswered(): void {
    this.#watched = undefined;
  }

  get isWatching(): boolean {
    return this.#watched !== undefined && this.#watched.size > 0;
  }

  /** The site has answered in the place of a link, if there is such a link. */
  siteAnswered(ctx: Context, name: LinkName): void {
    if (this.#watched?.has(keyOf(name)) !== true) return;
    this.#watched = undefined;
    warn(
      'hidden_link',
      `The site answered the short URL ${this.#bases.shortUrl(name)} itself, with the status ${ctx.status}, so the ` +
        'link could not. With `defer: true` the pages of the site come first, and a site that answers every path, such ' +
        'as a single-page app, hides all links. Let it answer 404 where it has no page, or set `defer: false` and ' +
        '`reserved`.',
    );
  }

  /** Whether a request with this host is still worth a warning. */
  isForeign({host}: Context): boolean {
    return !this.#isHostTold && host !== '' && this.#bases.find(host) === undefined;
  }

  /** There is no page for a path that a short URL could have, on a host that is none of the site's domains. */
  foreignHost(ctx: Context): void {
    if (!this.isForeign(ctx)) return;
    this.#isHostTold = true;
    const forwarded = ctx.get('X-Forwarded-Host').split(',', 1)[0]?.trim() ?? '';
    const advice =
      !ctx.app.proxy && forwarded !== '' && this.#bases.find(forwarded)
        ? 'The header X-Forwarded-Host has one of them: set `app.proxy = true`, so that Koa reads it.'
        : 'If visitors reach the site there, add it to `baseDomains`; behind a proxy, have it pass the Host header on.';
    warn(
      'unknown_host',
      `A request for a short URL came with the host ${JSON.stringify(ctx.host.slice(0, maxHost))}, on which no link ` +
        `answers: the domains of the site are ${this.#bases.domains.join(', ')}. ${advice}`,
    );
  }
}

/** A name as one text: a domain may hold colons, and a short part none. */
function keyOf({domain, slug}: LinkName): string {
  return `${domain}:${slug}`;
}
