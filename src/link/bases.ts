import {ShortUrlError} from '../errors.ts';
import {describe} from '../values/describe.ts';
import {maxUrl, parseUrl} from '../values/parse-url.ts';
import {ShortParts} from './short-part.ts';

/** The longest Host header that is read, in characters: a domain has at most 253, and more if it is written in Unicode. */
const maxHost = 1024;

export interface Base {
  /** The name without port, in lower case and ASCII. Links are stored and compared by it. */
  readonly domain: string;
  /** `https://example.com/s`: everything before the slash and the short part. */
  readonly root: string;
  /** The path of `root`; empty at the top of the domain. */
  readonly path: string;
}

export interface LinkName {
  readonly domain: string;
  readonly slug: string;
}

export function isSameName(one: LinkName | undefined, other: LinkName): boolean {
  return one?.domain === other.domain && one.slug === other.slug;
}

/**
 * The domains of the site. Domains are compared by name alone: scheme, port, case and the Unicode or ASCII spelling make
 * no difference.
 */
export class Bases {
  readonly main: Base;
  readonly shortParts: ShortParts;
  readonly #protocol: string;
  readonly #byDomain = new Map<string, Base>();
  /** The bases by their usual Host headers, so that most visits need no parsing. */
  readonly #byHost = new Map<string, Base>();
  /** The base of a domain of a user that the site serves now. */
  servedBase: (domain: string) => Base | undefined = () => undefined;
  /** Whether users may bring domains, about which the host is asked. */
  readonly hasUserDomains: boolean;

  /**
   * @param baseUrl an absolute http or https URL
   * @param baseDomains bare domains, which take scheme and path of `baseUrl`, and absolute URLs
   * @throws TypeError if one is neither, or if two name the same domain; it repeats a value only if it looks like a URL
   *   of a site, because a connection string or a secret may be here by mistake
   */
  constructor(
    baseUrl: string,
    baseDomains: readonly string[],
    shortParts = new ShortParts(),
    {hasUserDomains = false}: {readonly hasUserDomains?: boolean} = {},
  ) {
    this.shortParts = shortParts;
    this.hasUserDomains = hasUserDomains;
    this.main = this.#add(baseUrl, 'baseUrl');
    this.#protocol = new URL(this.main.root).protocol;
    for (const domain of baseDomains) {
      const isBare = !/[/\\?#@]/.test(domain);
      if (isBare && this.find(domain)) continue;
      this.#add(domain, 'baseDomains', isBare ? `${this.#protocol}//${domain}${this.main.path}` : domain);
    }
  }

  #add(given: string, option: string, text = given): Base {
    const url = parseUrl(text);
    const isBase =
      url !== undefined &&
      (url.protocol === 'https:' || url.protocol === 'http:') &&
      url.username + url.password + url.search + url.hash === '' &&
      !url.hostname.includes('*');
    if (option === 'baseUrl' && /^(?:\/\/)?[a-z\d-]+(?:\.[a-z\d-]+)*(?::\d+)?(?:\/[\w/-]*)?$/i.test(text)) {
      throw new TypeError(
        `Expected \`baseUrl\` to be an absolute http or https URL: it must begin with https:// or http://, got ${describe(given)}`,
      );
    }
    if (!isBase) {
      throw new TypeError(
        `Expected \`${option}\` to be ${option === 'baseUrl' ? 'an' : 'bare domains or'} absolute http or https URL${
          option === 'baseUrl' ? '' : 's'
        } without user, query, fragment and wildcard, got ${/^https?:[^@?]*$/i.test(given) ? JSON.stringify(given) : describe(given)}`,
      );
    }
    const path = url.pathname.replace(/\/+$/, '');
    const base = {domain: hostNameOf(url), root: url.origin + path, path};
    const same = this.#byDomain.get(base.domain);
    if (same !== undefined && same.root !== base.root) {
      throw new TypeError(`Expected one URL per domain, got both ${same.root} and ${base.root}`);
    }
    this.#byDomain.set(base.domain, base);
    for (const host of [base.domain, url.host, `${base.domain}:80`, `${base.domain}:443`]) this.#byHost.set(host, base);
    return base;
  }

  get domains(): readonly string[] {
    return Array.from(this.#byDomain.keys());
  }

  get roots(): string[] {
    return Array.from(this.#byDomain.values(), ({root}) => root);
  }

  /** The paths of short URLs, of each domain; empty at the top of it. */
  get paths(): string[] {
    return Array.from(this.#byDomain.values(), ({path}) => path);
  }

  /** The base of a Host header or domain in any case and with any port; undefined for a foreign domain. */
  find(host: string): Base | undefined {
    const base = this.#byHost.get(host);
    if (base !== undefined) return base;
    const domain = domainOf(host);
    return domain === undefined ? undefined : this.#at(domain);
  }

  #at(domain: string): Base | undefined {
    return this.#byDomain.get(domain) ?? this.servedBase(domain);
  }

  /** The name of a domain in a Host header that the options do not have; undefined if it is none. */
  foreignDomain(host: string): string | undefined {
    if (this.#byHost.has(host)) return undefined;
    const domain = domainOf(host);
    // Nobody brings an address, which has no name to verify.
    const isName = domain !== undefined && /^(?=.{1,253}$)[a-z\d-]+(?:\.[a-z\d-]+)*\.(?!\d+$)[a-z\d-]+$/.test(domain);
    return isName && !this.#byDomain.has(domain) ? domain : undefined;
  }

  /** The base of a domain that a user may have brought, at the path of `baseUrl`. */
  ofUser(domain: string): Base {
    return {domain, root: `${this.#protocol}//${domain}${this.main.path}`, path: this.main.path};
  }

  /** The URLs that a QR code of the link may hold: the short URL and, where case makes no difference, its capitals. */
  scannedUrls(name: LinkName): string[] {
    const shortUrl = this.shortUrl(name);
    const {path} = this.#at(name.domain) ?? this.main;
    return this.shortParts.ignoreCase && !/[a-z]/.test(path) ? [shortUrl, shortUrl.toUpperCase()] : [shortUrl];
  }

  /** The full short URL. A link on a domain that the site no longer has keeps that domain. */
  shortUrl({domain, slug}: LinkName): string {
    const {root} = this.#byDomain.get(domain) ?? this.ofUser(domain);
    return `${root}/${this.shortParts.encode(slug)}`;
  }

  /** The link that a URL leads to if it is a short URL of this site, however it ends. The link need not exist. */
  parseShortUrl(text: string): LinkName | undefined {
    const located = this.#locate(parseUrl(text));
    return located && (this.nameAt(located.base, located.path) ?? this.looseNameAt(located.base, located.path)?.name);
  }

  /** The link that a path on a domain names; undefined if it is not that of a short URL. */
  nameAt({domain, path: root}: Base, path: string): LinkName | undefined {
    if (!path.startsWith(root) || path[root.length] !== '/') return undefined;
    const slug = this.shortParts.readEncoded(path.slice(root.length + 1));
    return slug === undefined ? undefined : {domain, slug};
  }

  /** The link that a path names if nothing else does, by what `ShortParts.readLoose` finds in it. */
  looseNameAt({domain, path: root}: Base, path: string): {name: LinkName; isPreview: boolean} | undefined {
    if (!path.startsWith(root) || path[root.length] !== '/') return undefined;
    const found = this.shortParts.readLoose(path.slice(root.length + 1));
    return found && {name: {domain, slug: found.slug}, isPreview: found.isPreview};
  }

  /**
   * The link that its owner names by its short URL. It may be on a domain that the site no longer has, named by the URL
   * that `shortUrl` returns for it.
   */
  parseOwnUrl(text: string): LinkName | undefined {
    const url = parseUrl(text, maxUrl);
    const located = this.#locate(url);
    const name = located && this.nameAt(located.base, located.path);
    if (name !== undefined || url === undefined || !/^https?:$/.test(url.protocol)) return name;
    const domain = hostNameOf(url);
    return this.#byDomain.has(domain) ? undefined : this.nameAt({...this.main, domain}, url.pathname);
  }

  isApiUrl(text: string): boolean {
    // The API answers under this path on every domain that reaches the site.
    return this.#locate(parseUrl(text))?.path.startsWith(`${this.main.path}/api/v1/`) ?? false;
  }

  /** Compares the path as a server sees it behind proxies that undo needless escapes and merge slashes. */
  #locate(url: URL | undefined): {base: Base; path: string} | undefined {
    if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return undefined;
    const base = this.#at(hostNameOf(url));
    return base && {base, path: unescape(url.pathname).replaceAll(/\/{2,}/g, '/')};
  }
}

function unescape(path: string): string {
  return path.replaceAll(/%[0-7][0-9A-F]/gi, (sequence) => {
    const character = decodeURIComponent(sequence);
    return /[\w~.-]/.test(character) ? character : sequence;
  });
}

/** The domain of a Host header in any case and with any port; undefined if it is none. */
export function domainOf(host: string): string | undefined {
  // These characters would end the authority of a URL or belong to a login.
  const url = host.length > maxHost || /[\s/\\?#@]/.test(host) ? undefined : parseUrl(`http://${host}`);
  return url && hostNameOf(url);
}

/**
 * Brings a host name into one form. `URL` has already made it lower case and ASCII. A trailing dot means the same name,
 * and an IPv4 address within an IPv6 address means the same address.
 */
export function hostNameOf({hostname}: URL): string {
  const groups = /\[::ffff:([\da-f]+):([\da-f]+)\]/.exec(hostname)?.slice(1);
  if (groups === undefined) return hostname.replace(/\.$/, '');
  return groups
    .map((group) => parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}

/**
 * The base of a domain for a new link. Whether the account may use the domain of a user is asked later.
 *
 * @throws ShortUrlError `invalid_base_domain` or `unknown_base_domain`
 */
export function findBase(domain: string, bases: Bases): Base {
  if (/[/\\]|^[a-z][a-z0-9+.-]*:(?!\d+$)/i.test(domain)) {
    throw new ShortUrlError(
      'invalid_base_domain',
      'The base domain must be written without scheme, path and trailing slash, in the form domain.com.',
    );
  }
  const base = bases.find(domain);
  if (base !== undefined) return base;
  const ofUser = bases.hasUserDomains ? bases.foreignDomain(domain) : undefined;
  if (ofUser === undefined) throw unknownBaseDomain();
  return bases.ofUser(ofUser);
}

export function unknownBaseDomain(): ShortUrlError {
  return new ShortUrlError('unknown_base_domain', 'The base domain must be one of the domains of this site.');
}
