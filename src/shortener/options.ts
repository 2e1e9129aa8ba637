import {windowLength as keyWindow} from '../accounts/key-attempts.ts';
import {minSecretLength} from '../accounts/seal.ts';
import type {Context} from 'koa';
import {type Pages, pageShapes} from '../http/visit/pages/pages.ts';
import {defaultVisitDetails, maxNames} from '../http/visit/visit-details.ts';
import {isTimeZone} from '../values/calendar.ts';
import {maxCounted} from '../link/counters.ts';
import {expectedSchemes, forbiddenSchemes, isScheme} from '../link/long-url.ts';
import {maxUrl} from '../values/parse-url.ts';
import {shortPart, shortPartOptions} from '../link/short-part.ts';
import {maxOffered} from '../links/user-domains.ts';
import {expectedReserved, isReservedOption, type ReservedOption} from '../site/reserved.ts';
import {aNamespace, defaultNamespace, defaultTimeout, type StoreOption} from '../store/opening/option.ts';
import {grouped, isObject} from '../values/describe.ts';
import {optionsOf, type OptionTable} from '../values/options.ts';
import {callback, choice, flag, integer, positive, shapeOf, text} from '../values/shape.ts';
import {windowLength} from '../visits/attempts.ts';
import {maxValueLength, maxValues} from '../visits/detail-values.ts';
import {attributionOptions} from './attribution-options.ts';
import type {AttributionOptions, ShortUrlOptions} from './generated/options.ts';
import type {ShortPartOptions} from '../link/generated/short-part-options.ts';
import type {VisitedLink} from '../link/link.ts';

const isSecret = (value: unknown): boolean => typeof value === 'string' && value.length >= minSecretLength;

/** The options of `shortUrl`, in the order of the reference. */
export const shortUrlOptions = {
  baseUrl: {
    ...text,
    expected: 'an absolute http or https URL',
    isRequired: true,
    sentence:
      'The public URL of the site: its scheme, its domain and, if it has one, the path prefix of its short URLs and API.',
  },
  baseDomains: {
    ...shapeOf<readonly string[]>({
      expected: 'an array of domains and absolute URLs',
      holds: (value: unknown) => Array.isArray(value) && value.every(text.holds),
    }),
    default: [] as readonly string[],
    sentence:
      'More domains for short URLs. A bare domain (`sho.rt`) gets the scheme and path of `baseUrl`. An absolute URL (`https://go.example.org/to`) keeps its own. There are no wildcards.',
  },
  domains: {
    ...callback<(domain: string, account: string | undefined) => boolean | Promise<boolean>>(),
    sentence:
      "[Your users' own domains](domains.md): whether the account may create links on the domain, or, without an account, whether your site serves it. The domain is in lower case and ASCII, without port. The first is asked at each create on such a domain, the second at visits and for destinations, once a minute for each domain and process. If it fails, a create on such a domain fails with `internal_error`, and domains that the site has served within an hour go on. Without it, only the domains of `baseUrl` and `baseDomains` are the site's.",
    example: [
      'domains: async (domain, account) => {',
      '  const owner = await db.verifiedDomain(domain);',
      '  return owner !== undefined && (account === undefined || account === owner);',
      '}',
    ].join('\n'),
  },
  domainsOf: {
    ...callback<(account: string) => readonly string[] | Promise<readonly string[]>>(),
    sentence: `The domains of \`domains\` that the dashboard offers an account for new links: up to ${maxOffered} names. Without it, or if it fails, only those of the other options are offered.`,
    example: 'domainsOf: (account) => db.verifiedDomainsOf(account)',
  },
  store: {
    ...shapeOf<StoreOption>({
      expected: 'a connection string, what the site has open, a Keyv instance or a Keyv storage adapter',
      holds: (value: unknown) => text.holds(value) || isObject(value) || typeof value === 'function',
    }),
    isSecret: true,
    defaultCode: "'memory:'",
    sentence:
      'Where links are stored: a connection string, a pool or client that your site has open, a Keyv instance or a Keyv storage adapter: see [stores](stores.md). Required with `NODE_ENV=production`.',
    example: 'store: new pg.Pool({connectionString: process.env.DATABASE_URL})',
  },
  storeTimeout: {
    ...integer(50, 60_000, 'milliseconds'),
    default: defaultTimeout,
    sentence:
      'The timeout of one store operation. An API call that runs into it answers 503. A request may need several operations, so it may take longer.',
  },
  secret: {
    ...shapeOf<string | readonly string[]>({
      expected: `a string of at least ${minSecretLength} characters (\`openssl rand -hex 32\` makes one), or several in an array`,
      holds: (value: unknown) => isSecret(value) || (Array.isArray(value) && value.length > 0 && value.every(isSecret)),
    }),
    isSecret: true,
    sentence: `Encrypts the stored API keys, which can then be shown again: at least ${minSecretLength} random characters, the same in every process. Required with every store except memory. Pass \`[new, old]\` to [change it](deployment.md#change-the-secret): the first secret encrypts, and all of them decrypt.`,
    example: 'secret: process.env.SHORT_URL_SECRET',
  },
  namespace: {
    ...aNamespace,
    default: defaultNamespace,
    sentence: 'The prefix of all keys in the store, so that several sites can share it.',
  },
  reserved: {
    ...shapeOf<ReservedOption>({
      expected: expectedReserved,
      holds: isReservedOption,
    }),
    defaultCode: '[]',
    sentence:
      '[Short parts that no link can have](getting-started.md#which-names-your-users-cannot-take): strings, and `@koa/router` instances, whose first path segments are reserved, also those of routes that you add later. Case is ignored. `api`, names of files, the paths of dashboards and, with `defer: true`, pages that visitors have seen are always reserved.',
    example: "reserved: [router, 'about']",
  },
  shortParts: {
    ...optionsOf<ShortPartOptions>(shortPartOptions),
    sentence: 'What a [short part](links.md#short-parts) may be, besides `A-Z a-z 0-9 - _` and, inside, `.` and `~`.',
    example: 'shortParts: {unicode: true}',
  },
  slugLength: {
    ...integer(1, shortPart.max),
    default: 7,
    sentence: 'The length of a generated short part. The part gets longer if collisions are frequent.',
  },
  redirectStatus: {...choice([301, 302, 307, 308]), default: 302, sentence: 'The status of a redirect.'},
  defer: {
    ...flag,
    default: true,
    sentence:
      "Whether the host's own pages answer before the links, wherever the middleware is mounted: a link then answers only where your site would answer 404. With `false`, links answer first, so list the host's pages in `reserved`.",
  },
  allowUrl: {
    ...callback<(url: string, account: string, target: string) => boolean | Promise<boolean>>(),
    default: () => true,
    defaultCode: '() => true',
    sentence:
      'Your rule for long URLs. After `false` the URL is refused with `forbidden_url`. If it fails, so does the create, with `internal_error`. `url` is the URL as it was given, and `target` where it leads, as a browser writes it: compare `new URL(target).hostname`, because `https://EVIL%2Eexample` leads to `evil.example`, and ignore a dot at its end.',
    example: "allowUrl: (url, account, target) => new URL(target).hostname !== 'evil.example'",
  },
  countVisit: {
    ...callback<(ctx: Context, link: VisitedLink) => boolean | Promise<boolean>>(),
    sentence:
      'Your rule for visits, asked before a visit that would count. After `false` it is not counted: the request is redirected, or gets the page `preview` if the link has a visit limit. If it fails, the visit is counted. The default excludes the bots, link previews and programs such as `curl` that isbot recognizes by their `User-Agent`, requests of apps by the frameworks of iOS and Android, and requests without a `User-Agent`. Programs of Microsoft Office get the page `preview` and never count: they open the short URL in the browser then, whose visit counts.',
    example: "countVisit: (ctx) => !isbot(ctx.get('User-Agent')) && !ctx.ip.startsWith('10.')",
  },
  visitDetails: {
    ...callback<(ctx: Context) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>>(),
    default: defaultVisitDetails,
    defaultCode: '',
    sentence: `Returns the details to count with a visit, by name: at most ${maxNames} different names of 1 to ${maxCounted} of \`a-z 0-9 _\`. Values are cut to ${maxValueLength} characters, and empty ones are not counted. For each link and process, about ${maxValues} values of a name are counted separately, and all others as \`other\`. All values are stored, so return nothing that identifies a person, such as an IP address. If it fails, the visit is counted without details; an invalid detail is left out. Both are reported by \`error\` events. The default returns \`referrer\`, the host name of the \`Referer\` or \`direct\`; \`device\` (\`ios\`, \`android\` or \`desktop\`); and \`country\`, two letters, if Cloudflare, Vercel or CloudFront names it and \`app.proxy\` is true. It is exported as \`defaultVisitDetails\`.`,
    example: "visitDetails: (ctx) => ({...defaultVisitDetails(ctx), campaign: String(ctx.query.utm_campaign ?? '')})",
  },
  destination: {
    ...callback<(ctx: Context, link: VisitedLink) => string | undefined | Promise<string | undefined>>(),
    sentence:
      "Chooses the destination for a visitor: returns a long URL, or `undefined` for the link's own. If it fails, or returns anything else or a short URL of the site, the link's own destination is used.",
    example: "destination: (ctx) => (ctx.get('X-Beta') === '1' ? 'https://beta.example.org/' : undefined)",
  },
  schemes: {
    ...shapeOf<readonly string[]>({
      expected: expectedSchemes,
      holds: (value: unknown) => Array.isArray(value) && value.every(isScheme),
    }),
    default: [] as readonly string[],
    sentence: `URL schemes that the URLs of links may have besides http and https, in lower case and without colon. Those that run code or open files are refused: ${forbiddenSchemes.map((each) => `\`${each}\``).join(', ')}.`,
    example: "schemes: ['mailto', 'tel', 'myapp']",
  },
  timeZone: {
    ...shapeOf<string>({
      expected: 'the IANA name of a time zone, such as Europe/Berlin',
      holds: isTimeZone,
    }),
    default: 'UTC',
    sentence:
      "Whose days count: the IANA name of a time zone, such as `'Europe/Berlin'`. It applies to dates and times without an offset, the days of statistics and of `createQuota`, and the dates in rules. Times in answers are always UTC. Days that were counted before a change of the option stay as they were.",
  },
  forwardQuery: {
    ...flag,
    default: false,
    sentence: `Whether the query of a visit is added to the destination, for links that do not set \`forwardQuery\`. Parameters that the destination already has keep their values. A query of more than ${grouped(maxUrl)} characters is not added, and nothing is to a presigned URL, such as one of S3, a phone number (\`tel:\`) or a mail (\`mailto:\`).`,
  },
  confirm: {
    ...choice(['never', 'limited', 'always']),
    bounds: '',
    default: 'never',
    sentence:
      'Which links [ask before they open](one-time-links.md), if they do not set `confirm`: none, those with a visit limit (`limited`), or `always` all without a password. The visitor presses a button, which programs that check links do not do.',
    example: "confirm: 'limited'",
  },
  attribution: {
    ...optionsOf<AttributionOptions>(attributionOptions),
    sentence:
      'Marks visitors with the link that brought them, for [conversions](conversions.md): each counted visit sets the cookie `short_url_via`. Without it, visitors are not marked. With `{}` or more, they are.',
    example: "attribution: {currency: 'EUR'}",
  },
  passwordAttempts: {
    // The attempts of a client must fit into a record of the store.
    ...integer(1, 100),
    default: 5,
    sentence: `How many wrong passwords a client may enter at one link within ${windowLength / 60_000} minutes, counted across all processes. Then the answer is 429 with \`Retry-After\`.`,
  },
  keyAttempts: {
    ...positive,
    bounds: '1 or more',
    default: 100,
    sentence: `How many wrong API keys a client may send within ${keyWindow / 60_000} minutes, counted in each process.`,
  },
  createQuota: {
    ...shapeOf<number | ((account: string) => number | Promise<number>)>({
      expected: `${positive.expected}, or a function`,
      holds: (value: unknown) => positive.holds(value) || typeof value === 'function',
    }),
    sentence: `How many links an account may create per day, in the \`timeZone\`: 1 or more, or, for plans, a function that returns it for an account: 0 or more, or \`Infinity\`. If the function fails, so does the create, with \`internal_error\`. Without it there is no limit.`,
    example: "createQuota: async (account) => ((await planOf(account)) === 'free' ? 20 : Infinity)",
  },
  pages: {
    ...optionsOf<Pages>(pageShapes),
    default: {},
    sentence:
      "The pages for visitors: the name, home URL and colour of the site on the built-in pages, or functions that return the HTML of the host's own pages.",
    example: "pages: {siteName: 'Low Tide', accent: '#0b5d66'}",
  },
  now: {
    ...callback<() => number>(),
    defaultCode: 'Date.now',
    sentence: 'A clock for tests, in milliseconds since the epoch.',
  },
} as const satisfies OptionTable<ShortUrlOptions>;
