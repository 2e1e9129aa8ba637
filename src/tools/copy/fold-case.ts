import type {LinkName} from '../../link/bases.ts';
import {isListed, type LinkRecord} from '../../link/record.ts';
import {linkRecords} from '../../link/records.ts';
import {foldCase} from '../../link/short-part.ts';
import {type Counters, type Entry, type KeyKind, noCounters} from '../../store/port.ts';
import {contentOf, type Item, linkSection, readItems, type RecordItem} from '../content/content.ts';
import type {ContentSource} from '../listing.ts';
import {kindOf} from '../kinds.ts';
import {ToolError} from '../tool-error.ts';

/** How many links the message of a refusal names. */
const maxNamed = 50;

/** A link in the source. */
interface Known {
  /** The hash tag of its keys. */
  readonly tag: string;
  readonly name: string;
  readonly isRemoved: boolean;
}

/**
 * A store as it would be if its short parts had always been kept without regard to case. If a removed link and another one
 * have the same short part then, the removed one is left out.
 */
export class FoldedStore implements ContentSource {
  readonly #source: ContentSource;
  /** The links that are shown, by their folded tag. */
  readonly #shown = new Map<string, Known>();
  /** The folded tags of all links. */
  readonly #folded = new Map<string, string>();

  private constructor(source: ContentSource) {
    this.#source = source;
  }

  /** @throws ToolError `case_conflict` that names links that would become one */
  static async of(source: ContentSource): Promise<FoldedStore> {
    const store = new FoldedStore(source);
    const conflicts: string[] = [];
    for await (const items of contentOf(source, [linkSection])) conflicts.push(...store.#learn(items));
    refuse(conflicts);
    return store;
  }

  async *keys(kind: KeyKind, prefix?: string): AsyncGenerator<readonly string[]> {
    for await (const keys of this.#source.keys(kind, prefix)) {
      // The site goes on creating links.
      const created = keys.filter((key) => key.startsWith(linkRecords.prefix) && !this.#folded.has(tagOf(key)));
      refuse(this.#learn(await readItems(this.#source, 'records', created)));
      yield keys.flatMap((key) => this.#foldedKey(key) ?? []);
    }
  }

  async getMany<Value>(keys: readonly string[]): Promise<Array<Entry<Value> | undefined>> {
    const entries = await this.#source.getMany<Value>(keys.map((key) => this.#originalKey(key)));
    return entries.map((entry, index) => {
      const key = keys[index] ?? '';
      return entry && this.#has(key) ? {...entry, value: foldRecord(key, entry.value) as Value} : undefined;
    });
  }

  async getCounters(keys: readonly string[]): Promise<readonly Counters[]> {
    const counters = await this.#source.getCounters(keys.map((key) => this.#originalKey(key)));
    return counters.map((found, index) => (this.#has(keys[index] ?? '') ? found : noCounters));
  }

  /** Notes links, and returns those that would become one. */
  #learn(items: readonly Item[]): string[] {
    const conflicts: string[] = [];
    for (const {key, value} of items as readonly RecordItem[]) {
      const record = value as LinkRecord;
      const folded = tagOf(linkRecords.key(foldLink(record)));
      const link = {
        tag: tagOf(key),
        name: `${record.domain}/${record.slug}`,
        isRemoved: !isListed(record),
      };
      this.#folded.set(link.tag, folded);
      const other = this.#shown.get(folded);
      if (other !== undefined && other.tag !== link.tag && !other.isRemoved && !link.isRemoved) {
        conflicts.push(`${other.name} and ${link.name}`);
      }
      if (other === undefined || comesFirst(link, other)) this.#shown.set(folded, link);
    }
    return conflicts;
  }

  /** Undefined for what belongs to no link that is shown. */
  #foldedKey(key: string): string | undefined {
    const tag = tagOf(key);
    if (tag === '') return key;
    const folded = this.#folded.get(tag);
    return folded !== undefined && this.#shown.get(folded)?.tag === tag ? key.replace(tag, () => folded) : undefined;
  }

  /** Without this, the keys of an earlier copy that was not folded would be found in the source. */
  #has(key: string): boolean {
    const tag = tagOf(key);
    return tag === '' || this.#shown.has(tag);
  }

  #originalKey(key: string): string {
    const tag = tagOf(key);
    return key.replace(tag, () => this.#shown.get(tag)?.tag ?? tag);
  }
}

/** A link that is not removed, or the first of several removed ones in a fixed order. */
function comesFirst(link: Known, other: Known): boolean {
  return link.isRemoved === other.isRemoved ? link.tag < other.tag : other.isRemoved;
}

/** The hash tag of the keys of a link, with its braces; empty for any other key. */
function tagOf(key: string): string {
  return /^[a-z]+:(\{.*\})/.exec(key)?.[1] ?? '';
}

/** A damaged record may have anything in the place of a name. It is copied as it is, and a check reports it. */
function foldLink<Name>(name: Name): Name {
  const {slug} = Object(name) as Partial<LinkName>;
  return typeof slug === 'string' ? {...name, slug: foldCase(slug)} : name;
}

/** What may have the name of a link as its property `link`. */
interface Named {
  readonly link?: LinkName;
}

function foldLinkIn(named: Named): Named {
  const {link} = Object(named) as Named;
  return link ? {...named, link: foldLink(link)} : named;
}

/** A record with the names of links in it. */
function foldRecord(key: string, value: unknown): unknown {
  const items = Array.isArray(value) ? (value as unknown[]) : undefined;
  switch (kindOf(key)?.names) {
    case 'itself':
      return foldLink(value);
    case 'link':
      return foldLinkIn(value as Named);
    case 'links':
      return items?.map((item) => foldLinkIn(item as Named)) ?? value;
    case 'slots':
      // A slot has the short part of a link, if need be after its domain and a colon.
      return items?.map((slot) => (typeof slot === 'string' ? slot.replace(/[^:]*$/, foldCase) : slot)) ?? value;
    default:
      return value;
  }
}

function refuse(conflicts: readonly string[]): void {
  if (conflicts.length === 0) return;
  const rest = conflicts.length > maxNamed ? `, and ${conflicts.length - maxNamed} more` : '';
  throw new ToolError(
    'case_conflict',
    `Links would become one: ${conflicts.slice(0, maxNamed).join(', ')}${rest}. Remove one of each and copy again`,
  );
}
