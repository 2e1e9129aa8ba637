import {createHash} from 'node:crypto';

/** A part that needs no digest: printable ASCII without spaces and the two characters below. */
const plainPart = /^[!-$&-9;-~]+$/;

/** Leaves space for the namespace in the 255 characters of the narrowest key column. */
const maxKey = 160;

/**
 * Makes a key from several parts: printable ASCII, at most 160 characters, and different for different parts. Short and
 * plain parts are readable in the key, as `kind:part:part`. Other parts become a digest, as `kind:%…`. A plain part has
 * no `%`, so the two forms never collide.
 *
 * @param kind a short plain word for the type of the record
 */
export function storeKey(kind: string, ...parts: readonly string[]): string {
  return `${kind}:${joined(parts, maxKey - kind.length - 1)}`;
}

/**
 * The same with a hash tag around the first parts. On Redis Cluster, keys with the same tag are on the same node, so one
 * command can use them.
 */
export function taggedKey(kind: string, tag: readonly string[], ...parts: readonly string[]): string {
  return [`${kind}:{${joined(tag, maxKey - 1)}}`, ...parts].join(':');
}

/** Every request for a short part makes a key of it, so this stays cheap. */
function joined(parts: readonly string[], max: number): string {
  const text = parts.join(':');
  if (text.length <= max && parts.every((part) => plainPart.test(part))) return text;
  // JSON keeps the boundaries of the parts, and distinguishes lone surrogates, which UTF-8 would not.
  return `%${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;
}

/** The name of the site in its store. A copy or an import gets it before anything else, and no export has it. */
export const siteKey = 'site';

interface Name {
  readonly domain: string;
  readonly slug: string;
}

/** The sequence of `url_id`. */
export const linkIds = storeKey('sequence', 'url_id');
/** Begins the keys of links, and of no other records. */
export const linkPrefix = 'l:';
export const linkKey = ({domain, slug}: Name): string => taggedKey('l', [domain, slug]);
/** Begins the keys of the counters of links, and of no others. */
export const countersPrefix = 'v:';
/** The counters of a link. On a cluster they are on the node of its record. */
export const countersKey = ({domain, slug, counters}: Name & {readonly counters: string}): string =>
  taggedKey('v', [domain, slug], counters);

/** The sequence of positions in an account's index of links. */
export const positionsKey = (generation: string): string => storeKey('positions', generation);
/** Begins the keys of indexes, and of no other records. */
export const indexPrefix = 'list:';
/** A record of an index of links, of an account or of the site: the slots of some consecutive positions. */
export const indexKey = (list: string, number: number): string => storeKey('list', list, String(number));
/** The name of the site's index. A generation has another length. */
export const siteIndex = 'site';
export const siteIndexPrefix = `${indexPrefix}${siteIndex}:`;

/** The number of keys for the totals of an account. */
export const totalsShards = 8;
/** The counters over all links of an account, in several shards. */
export const totalsKey = (generation: string, shard: number): string => storeKey('totals', generation, String(shard));
export const totalsKeys = (generation: string): string[] =>
  Array.from({length: totalsShards}, (_, shard) => totalsKey(generation, shard));

/** Begins the keys of accounts, and of no other records. */
export const accountPrefix = 'account:';
export const accountKey = (id: string): string => storeKey('account', id);
/** The sequence of positions in the index of accounts. */
export const accountPositions = storeKey('sequence', 'account');
export const pointerKey = (position: number): string => storeKey('accounts', String(position));

/** The links that an account has created on its last day. */
export const quotaKey = (account: string): string => storeKey('quota', account);
/** What a call with an idempotency key creates, by a digest of the account's generation and the key. */
export const intentKey = (digest: string): string => storeKey('intent', digest);
/** The link that calls with the same parameters and `reuse` get, by a keyed digest of the account's generation and them. */
export const reuseKey = (digest: string): string => storeKey('reuse', digest);
/** Begins the keys of references, and of no other records. */
export const referencePrefix = 'reference:';
/** The link of an account that has a reference, or is about to get it. The key shows nothing of the reference. */
export const referenceKey = (generation: string, reference: string): string =>
  storeKey('reference', createHash('sha256').update(`${generation} ${reference}`).digest('base64url'));
/** The password attempts of a client at a link, by a keyed digest of both. */
export const attemptsKey = (digest: string): string => storeKey('attempts', digest);

/** A conversion that was begun in the last 400 days, by a digest of its name and id. */
export const conversionKey = (digest: string): string => storeKey('conversion', digest);
/** A counter that shows that a conversion was counted, until that is recorded. On a cluster it is on the node of its link. */
export const conversionMarkKey = ({domain, slug}: Name, digest: string): string =>
  taggedKey('mark', [domain, slug], digest);
/** The names of conversions that the site uses, or those of the API calls of one account. */
export const conversionNamesKey = (generation = 'site'): string => storeKey('conversion-names', generation);

/** Records and counters on which the command `check` tries each operation. */
export const checkKey = (id: string): string => storeKey('check', id);
export const checkCountersKey = (id: string): string => storeKey('check-counters', id);
export const checkVisitsKey = (id: string): string => taggedKey('check', [id]);
