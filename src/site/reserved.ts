import {percentDecoded} from '../values/parse-url.ts';
import {foldName, type Reserved} from '../link/short-part.ts';
import type {Bases} from '../link/bases.ts';

/** The part of a `@koa/router` that lists its routes. */
export interface RouterLike {
  readonly stack: readonly RouteLike[];
}

interface RouteLike {
  readonly path: string | RegExp;
  /** What the router compares a path with; undefined in a router that has only `path`. */
  readonly regexp?: RegExp | undefined;
  /** Empty for a middleware of the router, which runs only along a route. */
  readonly methods?: readonly string[] | undefined;
}

/** Names of pages, and routers whose routes are pages. */
export type ReservedOption = RouterLike | ReadonlyArray<string | RouterLike>;

/** What `isReservedOption` accepts, for messages. */
export const expectedReserved =
  'a @koa/router, or an array of routers and of names without white space, slashes inside, * and ?';

export function isReservedOption(value: unknown): value is ReservedOption {
  return isRouter(value) || (Array.isArray(value) && value.every((item) => isRouter(item) || isName(item)));
}

export function readReserved(option: ReservedOption, bases: Bases): ReservedSlugs {
  const items = isRouter(option) ? [option] : option;
  const reserved = new ReservedSlugs(...items.filter(isRouter).map((router) => new Routes(router, bases)));
  for (const item of items) if (typeof item === 'string') reserved.add(item.replace(/^\//, ''));
  return reserved;
}

/** The short parts whose links a path could hide or be hidden by. */
export function slugsAt(path: string, bases: Bases): string[] {
  return segmentsOf(path, bases).flatMap((segment) => {
    const literal = /^[^{}(:*?+\\]+(?!:)(?=$|[{(*?+])/.exec(segment)?.[0];
    return literal === undefined ? [] : [percentDecoded(literal) ?? literal];
  });
}

/**
 * The first segment of a route's path, and its first one below the path of each base, which a mount may remove from the
 * path that the route has.
 */
function segmentsOf(path: string, bases: Bases): string[] {
  const prefixes = new Set(['', ...bases.paths]);
  return [...prefixes]
    .filter((prefix) => path.startsWith(`${prefix}/`) || path.startsWith(`{${prefix}/`))
    .map((prefix) => /^\{?\/(.*?)\}?(?=\{?\/|$)/s.exec(path.replace(prefix, ''))?.[1] ?? '');
}

/** Whether some short parts are those of a route, and which ones only its pattern tells. */
function hasPattern({path}: RouteLike, bases: Bases): boolean {
  const segments = typeof path === 'string' ? segmentsOf(path, bases) : [];
  return segments.length === 0 || segments.some((segment) => /[{}(:*?+\\]/.test(segment));
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && /^\/?[^/\s*?]+$/.test(value);
}

function isRouter(value: unknown): value is RouterLike {
  // Some versions of @koa/router are functions.
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isObject && 'stack' in value && Array.isArray(value.stack);
}

/** Names that no site has. A route that matches all of them matches any name, so it tells nothing about one. */
const anyNames = ['q7ZkW3n', 'Mp4xT9c', '28hJd5y'];

/** The routes of a router. They are compared with every call: most hosts add routes later, and `prefix()` changes them. */
class Routes implements PagesOfSite {
  readonly #router: RouterLike;
  readonly #bases: Bases;
  #paths: ReadonlyArray<string | RegExp> = [];
  #names: ReadonlySet<string> = new Set();
  /** Those that match some of the names, such as `/user-:id`. */
  #patterns: readonly RegExp[] = [];

  constructor(router: RouterLike, bases: Bases) {
    this.#router = router;
    this.#bases = bases;
  }

  has(slug: string): boolean {
    this.#refresh();
    return this.#names.has(foldName(slug)) || this.#patterns.some((pattern) => this.#isAt(slug, pattern));
  }

  hasPath(path: string): boolean {
    const paths = [
      path,
      ...this.#prefixes.filter((prefix) => path.startsWith(`${prefix}/`)).map((prefix) => path.slice(prefix.length)),
    ];
    return this.#router.stack.filter(isRoute).some((route) => paths.some((each) => matches(patternOf(route), each)));
  }

  get #prefixes(): readonly string[] {
    return this.#bases.paths.filter((prefix) => prefix !== '');
  }

  #refresh(): void {
    const {stack} = this.#router;
    if (stack.length === this.#paths.length && stack.every(({path}, index) => path === this.#paths[index])) return;
    this.#paths = stack.map(({path}) => path);
    const slugs = this.#paths.flatMap((path) => (typeof path === 'string' ? slugsAt(path, this.#bases) : []));
    this.#names = new Set(slugs.map(foldName));
    const {shortParts} = this.#bases;
    const any = anyNames.flatMap((name) => shortParts.read(name) ?? []);
    this.#patterns = stack
      .filter((route) => isRoute(route) && hasPattern(route, this.#bases))
      .flatMap((route) => patternOf(route) ?? [])
      .filter((pattern) => !any.every((slug) => this.#isAt(slug, pattern)));
  }

  /** Whether a route answers at a short URL with this short part, on one of the domains. */
  #isAt(slug: string, pattern: RegExp): boolean {
    const {shortParts, paths} = this.#bases;
    const part = shortParts.encode(slug);
    return ['', ...paths].some((prefix) => matches(pattern, `${prefix}/${part}`));
  }
}

function isRoute({methods}: RouteLike): boolean {
  return methods === undefined || methods.length > 0;
}

function patternOf({path, regexp}: RouteLike): RegExp | undefined {
  return regexp ?? (typeof path === 'string' ? undefined : path);
}

/** Without `test`, which would change the state of a host's pattern with the flag `g`. */
function matches(pattern: RegExp | undefined, path: string): boolean {
  return pattern !== undefined && path.search(pattern) !== -1;
}

/** A part of the site that knows which pages it has. They may change with time. */
interface PagesOfSite {
  readonly has: (slug: string) => boolean;
  /** Whether there is a page at an undecoded path, even if there is one at every path. */
  readonly hasPath: (path: string) => boolean;
}

/**
 * Short parts that belong to the site itself. Case is ignored, because many hosts ignore it in their routes, and so is how a
 * letter is written.
 */
export class ReservedSlugs implements Reserved {
  readonly #pages: readonly PagesOfSite[];
  readonly #added = new Set(['api']);

  constructor(...pages: readonly PagesOfSite[]) {
    this.#pages = pages;
  }

  add(slug: string): void {
    this.#added.add(foldName(slug));
  }

  has(slug: string): boolean {
    return this.#isTaken(slug) || (slug.includes('/') && this.#isTaken(slug.slice(0, slug.indexOf('/'))));
  }

  /** Whether a router of the site answers this path, which may be one of a route for any name, such as `/:page`. */
  hasPath(path: string): boolean {
    return this.#pages.some((pages) => pages.hasPath(path));
  }

  #isTaken(slug: string): boolean {
    return this.#added.has(foldName(slug)) || this.#pages.some((pages) => pages.has(slug));
  }
}
