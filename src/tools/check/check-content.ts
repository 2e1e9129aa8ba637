import {countersPrefix, linkKey, linkPrefix, referencePrefix} from '../../records.ts';
import {isUnavailable, type ShortUrlError} from '../../host/errors.ts';
import {explain} from '../../host/warnings.ts';
import {type LinkRecord} from '../../link/record.ts';
import {hasReference, type Pointer, removeStray} from '../../links/references.ts';
import {advice, type Finding, problem} from '../../store/findings.ts';
import type {ToolStore} from '../../store/port.ts';
import {readItems, type RecordItem} from '../content/content.ts';
import {listKeys} from '../listing.ts';

/** The maximum number of keys that are looked at, unless something is to be removed. */
const maxKeys = 10_000;

const nothingMore = 'Nothing more has to be done.';

/** Which content is looked for. */
interface ContentChecks {
  /** The domains of the site; undefined if they are unknown. */
  readonly domains: readonly string[] | undefined;
  /** Whether counters and references that belong to no link are removed. */
  readonly isCleaned: boolean;
}

/** Looks at a sample of the content. */
export async function checkContent(
  store: ToolStore,
  unreadable: readonly ShortUrlError[],
  {domains, isCleaned}: ContentChecks,
): Promise<Finding[]> {
  try {
    return [
      ...(await checkRecords(store, unreadable, domains)),
      ...(await checkCounters(store, isCleaned)),
      ...(await checkReferences(store, isCleaned)),
    ];
  } catch (error) {
    // The adapter cannot list its keys.
    if (!(error instanceof TypeError)) throw error;
    const message = `The records could not be checked. ${error.message}`;
    return [
      advice('records_not_visible', message, 'Use a connection string, or a Keyv adapter that can list its keys.'),
    ];
  }
}

export async function checkRecords(
  store: ToolStore,
  unreadable: readonly ShortUrlError[],
  domains: readonly string[] | undefined,
): Promise<Finding[]> {
  const found = new Set<string>();
  let read = 0;
  let isWhole = true;
  for await (const keys of listKeys(store, 'records')) {
    isWhole = read < maxKeys;
    if (!isWhole) break;
    for (const item of await readItems(store, 'records', keys)) {
      if (item.key.startsWith(linkPrefix)) found.add(((item as RecordItem).value as LinkRecord).domain);
    }
    read += keys.length;
  }
  const findings: Finding[] = [];
  if (unreadable[0] !== undefined) {
    const message = `${unreadable.length} of ${read} checked records cannot be read. ${explain(unreadable[0])}`;
    findings.push(problem('unreadable_records', message, 'Restore these records from a backup, or remove them.'));
  }
  if (domains !== undefined && found.size > 0 && !domains.some((own) => found.has(own))) {
    // On some engines the sample is sorted by domain, so a part of the records may have none of the site's domains.
    const none = isWhole ? 'No link in the store' : `None of the links among the first ${maxKeys} records`;
    const others = Array.from(found).slice(0, 3).join(', ');
    findings.push({
      severity: isWhole ? 'problem' : 'advice',
      code: 'other_domain',
      message: `${none} is on ${domains.join(' or ')}. There are links on ${others}.`,
      remedy: 'Pass the base URL of the site that uses this store, and all of its `baseDomains`.',
    });
  }
  return findings;
}

/** Looks for counters that belong to no link, which a killed import leaves, and removes them on request. */
async function checkCounters(store: ToolStore, isCleaned: boolean): Promise<Finding[]> {
  let looked = 0;
  let found = 0;
  for await (const keys of listKeys(store, 'counters', countersPrefix)) {
    if (!isCleaned && looked >= maxKeys) break;
    const stray = await withoutLink(store, keys);
    if (isCleaned) await Promise.all(stray.map((key) => store.removeCounters(key)));
    looked += keys.length;
    found += stray.length;
  }
  if (found === 0) return [];
  if (isCleaned) {
    const message = `${found} sets of counters belonged to no link. They were removed.`;
    return [advice('counters_removed', message, nothingMore)];
  }
  const message = `Of ${looked} sets of counters that were looked at ${found} belong to no link. A killed import has left them. They only take space.`;
  return [advice('counters_without_link', message, 'koa-short-url check --clean, while no import is running')];
}

/** Looks for references without a link, which a killed create leaves, and removes them on request. */
async function checkReferences(store: ToolStore, isCleaned: boolean): Promise<Finding[]> {
  let looked = 0;
  let found = 0;
  for await (const keys of listKeys(store, 'records', referencePrefix)) {
    if (!isCleaned && looked >= maxKeys) break;
    const entries = await store.getMany<Pointer>(keys);
    const pointers = keys.flatMap((key, index) => (entries[index] ? [{key, entry: entries[index]}] : []));
    const links = await store.getMany<LinkRecord>(pointers.map(({entry}) => linkKey(entry.value)));
    for (const [index, {key, entry}] of pointers.entries()) {
      const link = links[index];
      if (hasReference(link, key, entry.value)) continue;
      found += 1;
      if (isCleaned) await removeStray(store, key, entry, link);
    }
    looked += keys.length;
  }
  if (found === 0) return [];
  if (isCleaned) {
    return [advice('references_removed', `${found} references belonged to no link. They were removed.`, nothingMore)];
  }
  const message = `Of ${looked} references that were looked at ${found} belong to no link. A killed process has left them. They only take space.`;
  return [advice('references_without_link', message, 'koa-short-url check --clean')];
}

async function withoutLink(store: ToolStore, keys: readonly string[]): Promise<string[]> {
  const linkOf = (key: string): string => linkPrefix + key.slice(countersPrefix.length, key.lastIndexOf('}') + 1);
  const links = await store.getMany<LinkRecord>(keys.map(linkOf));
  const isStray = await Promise.all(
    keys.map(async (key, index) => {
      const link = links[index];
      if (link !== undefined) return !key.endsWith(`}:${link.value.counters}`);
      // A link that cannot be read keeps its counters.
      return store.get(linkOf(key)).then(
        (found) => found === undefined,
        (error: unknown) => {
          if (isUnavailable(error)) throw error;
          return false;
        },
      );
    }),
  );
  return keys.filter((_, index) => isStray[index]);
}
