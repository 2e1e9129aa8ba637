import {LRUCache} from 'lru-cache';
import type {LinkName} from '../link/bases.ts';
import {growingTo} from '../values/growing.ts';

const maxPaths = 1000;

/** With more pages than this, the site probably answers every path. */
const maxPages = 20;

/** After so many paths without a 404 among them, the site probably answers every path. */
const maxAnswers = 100;

interface Answer {
  /** The short part as it was requested. */
  readonly slug: string;
  /** Whether it was a page. A redirect or a refusal, such as that of a login wall, may be the answer to every path. */
  readonly isPage: boolean;
}

export interface SiteAnswer {
  readonly status: number;
  readonly accept: string | undefined;
}

/**
 * What the requests so far have shown about the site's own pages at paths that a link could have. It is kept in the
 * process, and never asks the site itself. Where links answer first, no page hides a link, and nothing is noted.
 *
 * A site may answer every path, as a single-page app does. Then a stranger could make any word a page by requesting it,
 * so no page counts once there are more than twenty. No 404 lifts that limit: some apps answer 404 to clients that ask
 * for it, by a header for example.
 */
export class SitePages {
  readonly areFirst: boolean;
  #pages = 0;
  readonly #answers = new LRUCache<string, Answer>({
    ...growingTo(maxPaths),
    dispose: ({isPage}) => {
      if (isPage) this.#pages -= 1;
    },
  });
  #hasMissed = false;
  #hasTold = false;

  constructor(areFirst: boolean) {
    this.areFirst = areFirst;
  }

  /** @returns true once, if the site seems to answer every path */
  answered(name: LinkName, {status, accept}: SiteAnswer): boolean {
    if (!this.areFirst) return false;
    const {slug} = name;
    const key = keyOf(name);
    const known = this.#answers.get(key);
    const isPage = status === 200 && isForPage(accept);
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
    this.#hasMissed = true;
    if (this.#answers.size > 0 && isForPage(accept)) this.#forget(name);
  }

  /** Call this when a link has answered, so no page is in front of it now. */
  linkAnswered(name: LinkName): void {
    if (this.#answers.size > 0) this.#forget(name);
  }

  /** Whether a link must not get this name, because the site has a page there. Case is ignored, as in many routers. */
  has(name: LinkName): boolean {
    return this.#pages <= maxPages && this.#answers.peek(keyOf(name))?.isPage === true;
  }

  /** Whether a link of this name was not reached by the last visitor, because the site itself has answered. */
  isHidden(name: LinkName): boolean {
    return this.#answers.peek(keyOf(name))?.slug === name.slug;
  }

  /** Whether a URL of this name leads to a page of the site even if there is a link. */
  isPage(name: LinkName): boolean {
    return this.isHidden(name) && this.has(name);
  }

  #forget(name: LinkName): void {
    if (this.isHidden(name)) this.#answers.delete(keyOf(name));
  }
}

/** Whether a client asks for a page as a browser does, or takes anything. An answer to others says nothing about pages. */
function isForPage(accept: string | undefined): boolean {
  return accept === undefined || accept === '*/*' || accept.startsWith('text/html');
}

/** Unambiguous, because a short part has no colon. */
function keyOf({domain, slug}: LinkName): string {
  return `${domain}:${slug.toLowerCase()}`;
}
