import {LRUCache} from 'lru-cache';
import type {LinkName} from '../link/bases.ts';

/** The maximum number of paths that are remembered. */
const maxPaths = 1000;

/** Up to this many pages are known at once. With more, the site probably answers every path. */
const maxPages = 20;

/** After so many paths without a 404 among them, the site probably answers every path. */
const maxAnswers = 100;

/** What the site itself has answered at a path. */
interface Answer {
  /** The short part as it was requested. */
  readonly slug: string;
  /** Whether it was a page. A redirect or a refusal, such as that of a login wall, may be the answer to every path. */
  readonly isPage: boolean;
}

/** What the site answered to a GET of a path that a link could have, if its pages answer before links. */
export interface SiteAnswer {
  readonly status: number;
  /** The header `Accept`. */
  readonly accept: string | undefined;
}

/**
 * What the requests so far have shown about the site's own pages at paths that a link could have. It is kept in the
 * process, and never asks the site itself. Where links answer first, no page hides a link, and nothing is noted.
 *
 * A site may answer every path: a single-page app with its one page. Then a stranger could make any word a page by
 * requesting it. So pages no longer count once there are more than twenty. They count again once as many other paths had
 * no page, for a request that prefers HTML: such an app answers each of those.
 */
export class SitePages {
  readonly #arePagesFirst: boolean;
  #pages = 0;
  readonly #answers = new LRUCache<string, Answer>({
    max: maxPaths,
    dispose: ({isPage}) => {
      if (isPage) this.#pages -= 1;
    },
  });
  readonly #missing = new Set<string>();
  #hasMissed = false;
  #hasTold = false;

  /** @param arePagesFirst whether the site's pages answer before links */
  constructor(arePagesFirst: boolean) {
    this.#arePagesFirst = arePagesFirst;
  }

  /**
   * Call this when the site itself has answered.
   *
   * @returns true once, if the site seems to answer every path
   */
  answered(name: LinkName, {status, accept}: SiteAnswer): boolean {
    if (!this.#arePagesFirst) return false;
    const {slug} = name;
    const key = keyOf(name);
    const known = this.#answers.get(key);
    const isPage = status === 200 && (accept === undefined || prefersHtml(accept));
    // A page that also redirects or refuses, for example visitors without a session, stays a page.
    if (known?.slug === slug && (known.isPage || !isPage)) return false;
    this.#answers.set(key, {slug, isPage});
    if (isPage) this.#pages += 1;
    if (this.#hasMissed || this.#hasTold || this.#answers.size < maxAnswers) return false;
    this.#hasTold = true;
    return true;
  }

  /** Call this when the site itself had no page. */
  missed(name: LinkName, accept: string | undefined): void {
    if (!this.#arePagesFirst) return;
    this.#hasMissed = true;
    const isByHtml = accept !== undefined && prefersHtml(accept);
    if (accept !== undefined && !isByHtml) return;
    const key = keyOf(name);
    if (this.#answers.peek(key)?.slug === name.slug) this.#answers.delete(key);
    // Some apps answer 404 without the header, or for names with a dot, and the client chooses both.
    if (isByHtml && !name.slug.includes('.') && this.#missing.size < maxPaths) this.#missing.add(key);
  }

  /** Call this when a link has answered, so no page is in front of it now. */
  linkAnswered(name: LinkName): void {
    if (this.#answers.size > 0 && this.isHidden(name)) this.#answers.delete(keyOf(name));
  }

  /** Whether a link must not get this name, because the site has a page there. Case is ignored, as in many routers. */
  has(name: LinkName): boolean {
    return this.#answers.peek(keyOf(name))?.isPage === true && this.#pages <= maxPages + this.#missing.size;
  }

  /** Whether a link of this name was not reached by the last visitor, because the site itself has answered. */
  isHidden(name: LinkName): boolean {
    return this.#answers.peek(keyOf(name))?.slug === name.slug;
  }

  /** Whether a URL of this name leads to a page of the site even if there is a link. */
  isPage(name: LinkName): boolean {
    return this.isHidden(name) && this.has(name);
  }
}

/** Whether a client asks as a browser does for a page, or takes anything. */
function prefersHtml(accept: string): boolean {
  return accept.startsWith('text/html') || accept === '*/*';
}

/** Unambiguous, because a short part has no colon. */
function keyOf({domain, slug}: LinkName): string {
  return `${domain}:${slug.toLowerCase()}`;
}
