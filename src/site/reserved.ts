import type {Reserved} from '../link/short-part.ts';
import type {Bases} from '../link/bases.ts';

/** The part of a `@koa/router` that lists its routes. */
export interface RouterLike {
  readonly stack: ReadonlyArray<{readonly path: string | RegExp}>;
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
  const reserved = new ReservedSlugs(...items.filter(isRouter).map((router) => namesOf(router, bases)));
  for (const item of items) if (typeof item === 'string') reserved.add(item.replace(/^\//, ''));
  return reserved;
}

/**
 * The short parts whose links a path could hide or be hidden by: its first segment, and its first one below the path of
 * each base. A mount may remove the latter from the path that a page knows.
 */
export function slugsAt(path: string, bases: Bases): string[] {
  const prefixes = new Set(['', ...bases.paths]);
  return [...prefixes]
    .filter((prefix) => path.startsWith(`${prefix}/`) || path.startsWith(`{${prefix}/`))
    .flatMap((prefix) => /^\{?\/([^/{}(:*?+]+)(?=$|[/{}(:*?+])/.exec(path.replace(prefix, ''))?.slice(1) ?? []);
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && /^\/?[^/\s*?]+$/.test(value);
}

function isRouter(value: unknown): value is RouterLike {
  // Some versions of @koa/router are functions.
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isObject && 'stack' in value && Array.isArray(value.stack);
}

/** Compares the paths with every call: most hosts add routes later, and `prefix()` changes those that exist. */
function namesOf(router: RouterLike, bases: Bases): () => ReadonlySet<string> {
  let paths: Array<string | RegExp> = [];
  let names = new Set<string>();
  return () => {
    const {stack} = router;
    if (stack.length !== paths.length || stack.some(({path}, index) => path !== paths[index])) {
      paths = stack.map(({path}) => path);
      const slugs = paths.flatMap((path) => (typeof path === 'string' ? slugsAt(path, bases) : []));
      names = new Set(slugs.map((slug) => slug.toLowerCase()));
    }
    return names;
  };
}

/** Short parts that belong to the site itself. Case is ignored, because many hosts ignore it in their routes. */
export class ReservedSlugs implements Reserved {
  readonly #sources: ReadonlyArray<() => ReadonlySet<string>>;
  readonly #added = new Set(['api']);

  /** @param sources return them in lower case. They are called for each check, because a host may add pages later */
  constructor(...sources: ReadonlyArray<() => ReadonlySet<string>>) {
    this.#sources = sources;
  }

  add(slug: string): void {
    this.#added.add(slug.toLowerCase());
  }

  has(slug: string): boolean {
    const name = slug.toLowerCase();
    return this.#isTaken(name) || (name.includes('/') && this.#isTaken(name.slice(0, name.indexOf('/'))));
  }

  #isTaken(name: string): boolean {
    return this.#added.has(name) || this.#sources.some((names) => names().has(name));
  }
}
