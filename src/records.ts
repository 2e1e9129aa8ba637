import {createHash} from 'node:crypto';
import {accountForm} from './accounts/record.ts';
import type {LinkName} from './link/bases.ts';
import {linkForm, type LinkRecord} from './link/record.ts';
import {either, listOf, object, optional} from './values/objects.ts';
import {type Shape, shapeOf, type ValueOf} from './values/shape.ts';
import {anyText, count, currencyCode, onlyTrue, text, time} from './values/shapes.ts';

/**
 * A part that needs no digest: printable ASCII without spaces and the two characters below. Braces would be a hash tag, and
 * the client of Redis Cluster looks for the key with an empty one on the wrong node.
 */
const plainPart = /^[!-$&-9;-z|~]+$/;

/** Leaves space for the namespace in the 255 characters of the narrowest key column. */
const maxKey = 160;

/**
 * Makes a key from several parts: printable ASCII, at most 160 characters, and different for different parts. Short and
 * plain parts are readable in the key, as `kind:part:part`. Other parts become a digest, as `kind:%…`. A plain part has
 * no `%`, so the two forms never collide.
 */
export function storeKey(kind: KindName, ...parts: readonly string[]): string {
  return `${kind}:${joined(parts, maxKey - kind.length - 1)}`;
}

/**
 * Makes a key with a hash tag around the first parts, and otherwise as `storeKey` does. On Redis Cluster, keys with the same tag are on the same node, so one
 * command can use them.
 */
export function taggedKey(kind: KindName, tag: readonly string[], ...parts: readonly string[]): string {
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

/** The sequence of `url_id`. */
export const linkIds = storeKey('sequence', 'url_id');
/** Begins the keys of links, and of no other records. */
export const linkPrefix = 'l:';
export const linkKey = ({domain, slug}: LinkName): string => taggedKey('l', [domain, slug]);
/** Begins the keys of the counters of links, and of no others. */
export const countersPrefix = 'v:';
/** The counters of a link. On a cluster they are on the node of its record. */
export const countersKey = ({domain, slug, counters}: LinkName & {readonly counters: string}): string =>
  taggedKey('v', [domain, slug], counters);

/** The sequence of positions in an account's index of links. */
export const positionsKey = (generation: string): string => storeKey('positions', generation);
/** Begins the keys of indexes, and of no other records. */
export const indexPrefix = 'list:';
export const slotsPerRecord = 50;
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
/** The block of an account that was removed, by a keyed digest of its name. */
export const blockKey = (digest: string): string => storeKey('block', digest);
/** The newest blocks of links and accounts. */
export const recentBlocksKey = 'recent-blocks';
/** The key of the site for digests, sealed with its secret. */
export const siteKeyRecord = 'site-key';
/** The sequence of positions in the index of accounts. */
export const accountPositions = storeKey('sequence', 'account');
export const pointerKey = (position: number): string => storeKey('accounts', String(position));

/**
 * What an account has created on its last day, by a keyed digest of its name. It outlives the account, which would otherwise
 * get a new quota by being created again.
 */
export const quotaKey = (digest: string): string => storeKey('quota', digest);
/** What a call with an idempotency key creates, by a digest of the account's generation and the key. */
export const intentKey = (digest: string): string => storeKey('intent', digest);
/** The link that calls with the same parameters and `reuse` get, by a keyed digest of the account's generation and them. */
export const reuseKey = (digest: string): string => storeKey('reuse', digest);
/** The link of an account that has a reference, or is about to get it. The key shows nothing of the reference. */
export const referenceKey = (generation: string, reference: string): string =>
  storeKey('reference', createHash('sha256').update(`${generation} ${reference}`).digest('base64url'));
/** The password attempts of a client at a link, by a keyed digest of both. */
export const attemptsKey = (digest: string): string => storeKey('attempts', digest);

/** A conversion that was begun in the last 400 days, by a keyed digest of its name and id. */
export const conversionKey = (digest: string): string => storeKey('conversion', digest);
/** The link that brought a customer, by a keyed digest of the customer. */
export const customerKey = (digest: string): string => storeKey('customer', digest);
/** The names of conversions that the site uses, or those of the API calls of one account. */
export const conversionNamesKey = (generation = 'site'): string => storeKey('conversion-names', generation);

/** Records and counters on which the command `check` tries each operation. */
export const checkKey = (id: string): string => storeKey('check', id);
export const checkCountersKey = (id: string): string => storeKey('check-counters', id);
export const checkVisitsKey = (id: string): string => taggedKey('check', [id]);

/** What the keys of an account's records are made of. */
export interface AccountParts {
  readonly id: string;
  readonly generation: string;
  /** Its position among all accounts. */
  readonly position: number;
}

/** Records, or sets of counters, whose keys begin with the name of their kind. */
type Kind = About & (Counted | Recorded | Local);

interface About {
  /** Their keys, as docs/architecture.md shows them. */
  readonly keys: readonly string[];
  /** A description for docs/architecture.md. */
  readonly content: string;
  /** When they expire. By default they stay until they are removed. */
  readonly expires?: string;
  /**
   * Where they have the names of links, so that a copy can put these into lower case: in the record itself, in its
   * property `link`, or in the slots of an index. The key of a link and its counters has its name too, as a hash tag.
   */
  readonly names?: 'itself' | 'link' | 'slots';
  /** The keys of those that a link has. Without the link they are of no use: a check looks for them. */
  readonly ofLink?: (link: LinkRecord) => readonly string[];
  /**
   * How those of one account are found, by its export and its removal. `none` belong to no account, or are not worth to be
   * kept; `each` has the `generation` of its account; `links` are those that its links have.
   */
  readonly ofAccount: 'none' | 'each' | 'links' | OfAccount;
}

interface Counted {
  readonly isCounters: true;
  readonly isLocal?: true;
  readonly form?: undefined;
  readonly isKeyOf?: undefined;
}

interface Recorded {
  readonly isCounters?: undefined;
  readonly isLocal?: undefined;
  /** What a record looks like. An import leaves out others. */
  readonly form: Shape;
  /** Whether the key is that of a record which says so itself. */
  readonly isKeyOf?: (key: string, value: unknown) => boolean;
}

/** Records that stay in their store: no copy and no export has them. A copy and an import make the site's name again. */
interface Local {
  readonly isCounters?: undefined;
  readonly isLocal: true;
  readonly form?: undefined;
  readonly isKeyOf?: undefined;
}

interface OfAccount {
  /** Their keys. The removal of the account removes these records last. */
  readonly keys?: (account: AccountParts) => readonly string[];
  /** The beginning of their keys. */
  readonly begin?: (account: AccountParts) => string;
  /** The site's own, which an export of the account has too. */
  readonly shared?: readonly string[];
  /** Whether the account keeps them until everything else is removed. */
  readonly isLast?: true;
}

/** Of an index of links: 0 for an empty one. */
const aSlot = shapeOf<string | 0>({
  expected: 'a slot',
  holds: (value) => value === 0 || text.holds(value),
});

/** It has one of the two. */
const pointerForm: Shape<{readonly account?: string; readonly block?: string}> = either(
  (pointer) => 'block' in pointer,
  object({block: text}),
  object({account: text}),
);

/**
 * A block of a link or of an account, by its position among all of the site, which says nothing of one that is removed.
 * `at` is in milliseconds since the epoch.
 */
const notedBlock: Shape<{readonly at: number} & ({readonly link: number} | {readonly account: number})> = either(
  (block) => 'link' in block,
  object({link: count, at: time}),
  object({account: count, at: time}),
);

const intentForm = object({
  /** When the call was first made, in milliseconds since the epoch. The link is dated so. */
  at: time,
  /**
   * Of the parameters of a call with an idempotency key. It is made with the site's key, so that nobody can guess a
   * password from it.
   */
  digest: optional(anyText),
  /** That of its account. */
  generation: optional(anyText),
  /** Absent for the call of many links. Each of them has an intent too. */
  link: optional(
    object({
      domain: text,
      slug: text,
      /** Random, so a link with counters of this name is the intended one. */
      counters: text,
      /** Present once the intent is stored. */
      id: optional(count),
    }),
  ),
  /** Whether the link was created. It may have been changed or removed since. */
  isDone: optional(onlyTrue),
});

/** A link that brought a customer, and the generation of its account. The link may have been removed since. */
const bringer = {domain: text, slug: text, id: count, generation: text} as const;

/**
 * Every kind of record. Copies, exports, imports, checks and the removal of an account follow this list. A key can be made
 * only for a kind in it, and the type of a record is that of its form.
 */
export const kinds = {
  l: {
    keys: ['l:{<domain>:<slug>}'],
    content: 'a link',
    form: linkForm,
    isKeyOf: (key, link) => linkForm.holds(link) && linkKey(link) === key,
    names: 'itself',
    ofAccount: 'each',
  },
  v: {
    keys: ['v:{<domain>:<slug>}:<…>'],
    content:
      'its counters: `v` (visits), `g` (granted), `d<day>`, `<detail>:<value>`, `c.<name>` (conversions), `w.<name>` (their values), `c<day>.<name>`, `w<day>.<name>`; `r` and `s` the same of refunds, and `.EUR` behind the name for a currency; of conversions by the API `a`, `b`, `p` and `q` instead of `c`, `w`, `r` and `s`; `m.<digest>`: the conversion was counted',
    isCounters: true,
    ofLink: (link) => (link.counters === '' ? [] : [countersKey(link)]),
    ofAccount: 'links',
  },
  totals: {
    keys: ['totals:<generation>:<0 to 7>'],
    content: 'the same over all links of an account, in eight shards',
    isCounters: true,
    ofAccount: {keys: ({generation}) => totalsKeys(generation)},
  },
  list: {
    keys: ['list:<generation>:<n>', 'list:site:<n>'],
    content: 'an index of an account or of the site: fifty slots',
    form: listOf(aSlot, slotsPerRecord),
    names: 'slots',
    ofAccount: {begin: ({generation}) => `${indexPrefix}${generation}:`},
  },
  positions: {
    keys: ['positions:<generation>'],
    content: "the last position in the account's index of links",
    isCounters: true,
    ofAccount: {keys: ({generation}) => [positionsKey(generation)]},
  },
  sequence: {
    keys: ['sequence:url_id', 'sequence:account'],
    content: "the last `url_id`, which is the position in the site's index; the last position in the list of accounts",
    isCounters: true,
    ofAccount: {shared: [linkIds, accountPositions]},
  },
  account: {
    keys: ['account:<account>'],
    content: 'an account: generation, key digests, sealed key, creation time, blocks',
    form: accountForm,
    isKeyOf: (key, account) => accountForm.holds(account) && accountKey(account.id) === key,
    ofAccount: {keys: ({id}) => [accountKey(id)], isLast: true},
  },
  accounts: {
    keys: ['accounts:<position>'],
    content: 'a pointer to an account, or to the block of one that was removed',
    form: pointerForm,
    ofAccount: {keys: ({position}) => [pointerKey(position)], isLast: true},
  },
  block: {
    keys: ['block:<digest>'],
    content: 'the block of an account that was removed',
    form: object({
      /** Its position among all accounts, which was the account's. */
      position: count,
      reason: optional(anyText),
      /** When the account was removed, in milliseconds since the epoch. */
      removed: time,
    }),
    ofAccount: 'none',
  },
  'recent-blocks': {
    keys: ['recent-blocks'],
    content: 'when the newest hundred blocks of links and accounts were made, by the positions of these in the site',
    form: listOf(notedBlock),
    ofAccount: 'none',
  },
  'site-key': {
    keys: ['site-key'],
    content: 'the key for digests that are looked up, sealed with the secret',
    form: object({sealed: text}),
    // It finds the links for calls with `reuse`.
    ofAccount: {shared: [siteKeyRecord]},
  },
  attempts: {
    keys: ['attempts:<digest>'],
    content: "a client's password attempts at a link",
    expires: 'after 15 minutes',
    form: object({
      /** When they were made, in milliseconds since the epoch. */
      wrong: listOf(time),
      /** Not decided yet, in any process. */
      open: listOf(time),
    }),
    ofAccount: 'none',
  },
  quota: {
    keys: ['quota:<digest>'],
    content: 'how many links an account has created, or conversions and customers its API calls have recorded, today',
    expires: 'at the end of the day',
    form: object({
      /** The end of that day, in milliseconds since the epoch, when the record expires. */
      until: time,
      used: count,
    }),
    ofAccount: 'none',
  },
  intent: {
    keys: ['intent:<digest>'],
    content: 'a create with an idempotency key',
    expires: 'after 24 hours',
    form: intentForm,
    names: 'link',
    ofAccount: 'each',
  },
  reuse: {
    keys: ['reuse:<digest>'],
    content: 'the link for calls with `reuse` and the same parameters',
    form: intentForm,
    names: 'link',
    ofAccount: 'each',
  },
  reference: {
    keys: ['reference:<digest>'],
    content: 'the link that has a reference, or is about to get it',
    form: object({
      domain: text,
      slug: text,
      generation: text,
      /** Those of the link, which no other link has. */
      counters: text,
      /** Random, so that no pointer is mistaken for an earlier one to the same link. */
      stamp: text,
    }),
    ofLink: ({generation, reference}) => (reference === undefined ? [] : [referenceKey(generation, reference)]),
    names: 'itself',
    ofAccount: 'each',
  },
  conversion: {
    keys: ['conversion:<digest>'],
    content: 'a conversion',
    expires: 'after 400 days',
    form: object({
      ...bringer,
      /** When it was made, in milliseconds since the epoch. */
      at: time,
      value: count,
      currency: optional(currencyCode),
      refunds: optional(
        listOf(
          object({
            /** Of its id. */
            digest: text,
            /** When it was made, in milliseconds since the epoch. */
            at: time,
            value: count,
            isDone: optional(onlyTrue),
          }),
        ),
      ),
      isDone: optional(onlyTrue),
    }),
    names: 'itself',
    ofAccount: 'each',
  },
  customer: {
    keys: ['customer:<digest>'],
    content: 'the link that brought a customer',
    expires: 'after `customerAge`',
    form: object({
      ...bringer,
      /** The beginning of the day (UTC) on which the customer was identified, in milliseconds since the epoch. */
      at: time,
      /** When the record expires: at the end of a day (UTC), so that it does not tell when the last use was. */
      until: time,
    }),
    names: 'itself',
    ofAccount: 'each',
  },
  'conversion-names': {
    keys: ['conversion-names:<…>'],
    content: "names of conversions, of the site or of an account's API calls",
    form: listOf(text),
    ofAccount: {
      keys: ({generation}) => [conversionNamesKey(generation)],
      // The conversions of its links have these names.
      shared: [conversionNamesKey()],
    },
  },
  batch: {
    keys: ['batch:<writer>'],
    content: "a writer's last batch",
    expires: 'after a day',
    isLocal: true,
    ofAccount: 'none',
  },
  format: {
    keys: ['format'],
    content: 'the number of the format, and settings',
    isLocal: true,
    ofAccount: 'none',
  },
  site: {
    keys: ['site'],
    content: 'the name of the site, also in its copies and exports',
    isLocal: true,
    ofAccount: 'none',
  },
  check: {
    keys: ['check:<id>', 'check:{<id>}'],
    content: 'a trial of each operation, during a check',
    isLocal: true,
    ofAccount: 'none',
  },
  'check-counters': {
    keys: ['check-counters:<id>'],
    content: 'counters of such a trial',
    isCounters: true,
    isLocal: true,
    ofAccount: 'none',
  },
} satisfies Readonly<Record<string, Kind>>;

export type KindName = keyof typeof kinds;

export const kindNames = Object.keys(kinds) as readonly KindName[];

export const kindOf = (name: KindName): Kind => kinds[name];

/** The record of a kind. */
export type RecordOf<Name extends KindName> = (typeof kinds)[Name] extends {readonly form: infer One}
  ? ValueOf<One>
  : never;

/** The name of the kind to which a key belongs; undefined for a key of no kind. */
export function kindNameOf(key: string): KindName | undefined {
  const [name = ''] = key.split(':', 1);
  return Object.hasOwn(kinds, name) ? (name as KindName) : undefined;
}

/** Whether a copy or an export has what is stored under the key. */
export function isMovable(key: string): boolean {
  const name = kindNameOf(key);
  return name === undefined || kindOf(name).isLocal !== true;
}

/** The keys of an account's own records, or of its counters, that its removal removes before the account. */
export function ownKeys(account: AccountParts, isCounters: boolean): readonly string[] {
  return kindNames.flatMap((name) => {
    const {ofAccount, isCounters: has = false} = kindOf(name);
    if (typeof ofAccount === 'string' || ofAccount.isLast || has !== isCounters) return [];
    return ofAccount.keys?.(account) ?? [];
  });
}
