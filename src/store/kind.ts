import {createHash} from 'node:crypto';
import type {Shape} from '../values/shape.ts';
import type {Store} from './port.ts';
import {CountersIn, Records} from './records.ts';

/** An account, as far as the keys of its records are made of it. */
export interface Owner {
  readonly id: string;
  readonly generation: string;
  /** Its position among all accounts. */
  readonly position: number;
}

/** A link, as far as the keys of its records are made of it. */
export interface OwningLink {
  readonly domain: string;
  readonly slug: string;
  readonly generation: string;
  readonly counters: string;
  readonly reference?: string | undefined;
  readonly reuse?: string | undefined;
}

/** What every kind says of its records, or sets of counters. */
interface About<Id> {
  /** Their keys, as docs/architecture.md shows them. */
  readonly keys: readonly string[];
  /** A description for docs/architecture.md. */
  readonly content: string;
  /** What a key is made of, besides the name of the kind; absent if there is one record. */
  readonly key?: (id: Id) => readonly string[];
  /**
   * Their keys are digests with the key of the site (`SiteKey.idFor`). Those that are `lasting` are never forgotten, not even
   * if a process has a wrong secret.
   */
  readonly digest?: 'keyed' | 'lasting';
  /** The parts before these, as a hash tag: on Redis Cluster, keys with the same tag are on the same node. */
  readonly tag?: (id: Id) => readonly string[];
  /** Those of the site that an export of one account has too. */
  readonly shared?: ReadonlyArray<NoInfer<Id>>;
  /** They stay in their store: no copy and no export has them. */
  readonly isLocal?: true;
}

/** Their keys follow from the account. `isLast`: they are what makes it an account, which is removed after the rest. */
interface ByKey<Id> {
  readonly removed: 'by key';
  readonly ofAccount: (account: Owner) => ReadonlyArray<NoInfer<Id>>;
  readonly isLast?: true;
}

/** Their keys follow from a link. Without the link they are of no use: a check looks for them. */
interface WithLink<Id> {
  readonly removed: 'with its link';
  readonly ofLink: (link: OwningLink) => ReadonlyArray<NoInfer<Id>>;
}

/** The removal finds them by the account's index of links. */
interface ByIndex {
  readonly removed: 'by index';
  /** What the keys of those of one account begin with; by default they have its `generation`. */
  readonly begin?: (account: Owner) => readonly string[];
}

/** They expire. Until then they must not name a person or an account, nor have an effect once the account is removed. */
interface ByExpiry<Value> {
  readonly removed: 'by expiry';
  readonly expires: Expiry<Value>;
}

/** They belong to no account. */
interface Never {
  readonly removed: 'never';
}

interface Expiry<Value> {
  /** For docs/architecture.md. */
  readonly when: string;
  /** In milliseconds since the epoch. */
  readonly at: (value: Value) => number;
}

type RecordsAbout<Id, Value> = About<Id> & {
  /** What a record looks like. An import leaves out others. */
  readonly form: Shape<Value>;
  readonly expires?: Expiry<Value>;
  /**
   * Where they have the names of links, so that a copy can put these into lower case: in the record itself, in its
   * property `link`, in that of each of its items, or in the slots of an index. The key of a link and its counters has its name too, as a hash tag.
   */
  readonly names?: 'itself' | 'link' | 'links' | 'slots';
  /** What the key of a record is made of, if the record says so itself. */
  readonly idOf?: (value: Value) => NoInfer<Id>;
};

/** A kind, whatever its records are. */
export interface AnyKind {
  readonly name: string;
  readonly keys: readonly string[];
  readonly content: string;
  readonly isCounters: boolean;
  readonly isLocal: boolean;
  readonly digest: 'keyed' | 'lasting' | undefined;
  readonly removed: 'by key' | 'with its link' | 'by index' | 'by expiry' | 'never';
  readonly isLast: boolean;
  readonly names: 'itself' | 'link' | 'links' | 'slots' | undefined;
  /** Absent for counters. */
  readonly form: Shape | undefined;
  /** When they expire, for docs/architecture.md. */
  readonly expires: string | undefined;
  /** Begins their keys, and no others. */
  readonly prefix: string;
  /** The keys of an account's own ones, and of those that an export of it has too. */
  readonly keysOf: (account: Owner) => readonly string[];
  readonly shared: readonly string[];
  readonly keysOfLink: (link: OwningLink) => readonly string[];
  /** Begins the keys of those of an account, if its index finds them. */
  readonly prefixOf: ((account: Owner) => string) | undefined;
  /** Whether the key is that of a record which says so itself. */
  readonly isKeyOf: (key: string, value: unknown) => boolean;
  /** When a record expires, in milliseconds since the epoch. */
  readonly expiryOf: (value: unknown) => number | undefined;
}

/** A kind of records. */
export interface Kind<Name extends string, Id, Value> extends AnyKind {
  readonly name: Name;
  readonly form: Shape<Value>;
  readonly key: (id: Id) => string;
  readonly in: (store: Store) => Records<Id, Value>;
}

/** A kind of counters. */
export interface CountersKind<Name extends string, Id> extends AnyKind {
  readonly name: Name;
  readonly key: (id: Id) => string;
  readonly in: (store: Store) => CountersIn<Id>;
}

/** What the key of a record of a kind is made of. */
export type IdOf<One> = One extends {readonly key: (id: infer Id) => string} ? Id : never;

/** The record of a kind. */
export type RecordOf<One> = One extends Kind<string, never, infer Value> ? Value : never;

/** A kind of records: its keys, what they look like, when they expire, and how the removal of an account ends them. */
export function kind<const Name extends string, Value, Id = void>(
  name: Name,
  about: RecordsAbout<Id, Value> & (ByKey<Id> | WithLink<Id> | ByIndex | ByExpiry<Value> | Never),
): Kind<Name, Id, Value> {
  const {form, expires, idOf, names} = about;
  const key = keyFor(name, about);
  return {
    ...common(name, about, key),
    form,
    names,
    expires: expires?.when,
    isKeyOf: (one, value) => idOf === undefined || (form.holds(value) && key(idOf(value)) === one),
    expiryOf: (value) => expires?.at(value as Value),
    key,
    in: (store) => new Records(store, key, expires?.at),
  };
}

/** A kind of counters, or of sequences. */
export function counters<const Name extends string, Id = void>(
  name: Name,
  about: About<Id> & (ByKey<Id> | WithLink<Id> | Never),
): CountersKind<Name, Id> {
  const key = keyFor(name, about);
  return {...common(name, about, key), isCounters: true, key, in: (store) => new CountersIn(store, key)};
}

/** A kind whose records the store itself writes. */
export function localKind<const Name extends string>(
  name: Name,
  {expires, ...about}: Pick<About<void>, 'keys' | 'content'> & {readonly expires?: string},
): AnyKind & {readonly name: Name} {
  return {...common(name, {...about, isLocal: true, removed: 'never'}, () => name), expires};
}

function keyFor<Id>(name: string, {key = () => [], tag}: Pick<About<Id>, 'key' | 'tag'>): (id: Id) => string {
  return tag ? (id) => taggedKey(name, tag(id), key(id)) : (id) => storeKey(name, ...key(id));
}

/** What is the same of all kinds, and what most kinds have. */
function common<const Name extends string, Id>(
  name: Name,
  about: About<Id> & (ByKey<Id> | WithLink<Id> | ByIndex | {readonly removed: 'by expiry'} | Never),
  key: (id: Id) => string,
): AnyKind & {readonly name: Name} {
  const {keys, content, digest, isLocal = false, shared = [], removed} = about;
  const begin = about.removed === 'by index' ? about.begin : undefined;
  return {
    name,
    keys,
    content,
    digest,
    isCounters: false,
    isLocal,
    removed,
    isLast: about.removed === 'by key' && about.isLast === true,
    names: undefined,
    form: undefined,
    expires: undefined,
    prefix: `${name}:`,
    keysOf: (account) => (about.removed === 'by key' ? about.ofAccount(account).map(key) : []),
    shared: shared.map(key),
    keysOfLink: (link) => (about.removed === 'with its link' ? about.ofLink(link).map(key) : []),
    prefixOf: begin && ((account) => `${storeKey(name, ...begin(account))}:`),
    isKeyOf: () => true,
    expiryOf: () => undefined,
  };
}

/** A digest of several parts, for a key that shows nothing of them. It is the same for everybody who knows the parts. */
export function plainDigest(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 32);
}

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
export function storeKey(name: string, ...parts: readonly string[]): string {
  return parts.length === 0 ? name : `${name}:${joined(parts, maxKey - name.length - 1)}`;
}

/** Makes a key with a hash tag around the first parts, and otherwise as `storeKey` does. */
export function taggedKey(name: string, tag: readonly string[], parts: readonly string[]): string {
  const tagged = `${name}:{${joined(tag, maxKey - 1)}}`;
  return parts.length === 0 ? tagged : `${tagged}:${parts.join(':')}`;
}

/** Every request for a short part makes a key of it, so this stays cheap. */
function joined(parts: readonly string[], max: number): string {
  const text = parts.join(':');
  if (text.length <= max && parts.every((part) => plainPart.test(part))) return text;
  // JSON keeps the boundaries of the parts, and distinguishes lone surrogates, which UTF-8 would not.
  return `%${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;
}
