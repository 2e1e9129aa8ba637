import {LRUCache} from 'lru-cache';
import type {LinkName} from '../link/bases.ts';

/** The maximum number of pages that are remembered, and also of paths without a page. */
const maxPages = 1000;

/** Up to this many paths with the same kind of answer count as pages. With more, the site probably answers every path. */
const maxAlike = 20;

interface Page {
  /** The short part as it was requested. */
  readonly slug: string;
  /** `page`, or the status and target of a redirect or refusal. */
  readonly kind: string;
}

/**
 * What the requests so far have shown about the site's own pages at paths that a link could have. It is kept in the
 * process, and never asks the site itself.
 *
 * A site may answer every path: a single-page app with its one page, a login wall with a redirect. Then a stranger could
 * make any word a page by requesting it. So a kind of answer no longer counts once more than twenty paths have got it. It
 * counts again once as many paths have answered 404, which never happens with such an app.
 */
export class SitePages {
  readonly #arePagesFirst: boolean;
  readonly #counts = new Map<string, number>();
  readonly #pages = new LRUCache<string, Page>({
    max: maxPages,
    dispose: ({kind}) => {
      const count = (this.#counts.get(kind) ?? 1) - 1;
      if (count === 0) this.#counts.delete(kind);
      else this.#counts.set(kind, count);
    },
  });
  /** Collected only while they matter, so that a redirect, which follows a 404 of the site, costs nothing more. */
  readonly #missing = new Set<string>();

  /** @param arePagesFirst whether the site's pages answer before links */
  constructor(arePagesFirst: boolean) {
    this.#arePagesFirst = arePagesFirst;
  }

  /**
   * Call this when the site itself has answered a GET of a path that a link could have.
   *
   * @param location the target of a redirect
   */
  answered({domain, slug}: LinkName, status: number, location: string): void {
    const kind = status < 300 || status === 304 ? 'page' : `${status} ${targetOf(location, slug)}`;
    const key = keyOf({domain, slug});
    const known = this.#pages.get(key);
    // A page that also redirects or refuses, for example visitors without a session, stays a page.
    if (known?.slug === slug && (known.kind === kind || known.kind === 'page')) return;
    this.#pages.set(key, {slug, kind});
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  /** Call this when the site itself had no page for such a GET. */
  missed(name: LinkName): void {
    if (this.#isEvidence('page') || this.#missing.size >= maxPages) return;
    this.#missing.add(keyOf(name));
  }

  /** Call this when a link has answered, so no page is in front of it now. Returns whether there was one. */
  linkAnswered(name: LinkName): boolean {
    return this.#pages.size > 0 && this.isHidden(name) && this.#pages.delete(keyOf(name));
  }

  /** Whether a link must not get this name, because the site has a page there. Case is ignored, as in many routers. */
  has(name: LinkName): boolean {
    const page = this.#pages.peek(keyOf(name));
    return page !== undefined && this.#isEvidence(page.kind);
  }

  /** Whether a link of this name was not reached by the last visitor, because the site itself has answered. */
  isHidden(name: LinkName): boolean {
    return this.#arePagesFirst && this.#pages.peek(keyOf(name))?.slug === name.slug;
  }

  /** Whether a URL of this name leads to a page of the site even if there is a link. */
  isPage(name: LinkName): boolean {
    return this.isHidden(name) && this.#pages.peek(keyOf(name))?.kind === 'page' && this.#isEvidence('page');
  }

  #isEvidence(kind: string): boolean {
    const alike = this.#counts.get(kind) ?? 0;
    return alike <= maxAlike + (kind === 'page' ? this.#missing.size : 0);
  }
}

/** The target of a redirect, alike for all paths of a site that sends them to one place. */
function targetOf(location: string, slug: string): string {
  return location
    .replace(/[?#].*/s, '')
    .replaceAll(slug, '*')
    .slice(0, 100);
}

/** Unambiguous, because a short part has no colon. */
function keyOf({domain, slug}: LinkName): string {
  return `${domain}:${slug.toLowerCase()}`;
}
