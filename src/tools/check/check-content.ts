import {linkCounters, linkRecords} from '../../link/records.ts';
import {isUnavailable, type ShortUrlError} from '../../errors.ts';
import {inOneLine} from '../../values/characters.ts';
import {problemIn} from '../../values/objects.ts';
import {version} from '../../version.ts';
import {explain} from '../../warnings.ts';
import {isDamaged} from '../../link/packing.ts';
import {closingOf, isListed, type LinkRecord} from '../../link/record.ts';
import {type ReferenceRecord, removeStray} from '../../links/references.ts';
import {advice, type Finding, notComplete, problem} from '../../store/findings.ts';
import type {Entry, ToolStore} from '../../store/port.ts';
import {readItems, type RecordItem} from '../content/content.ts';
import type {AnyKind} from '../../store/kind.ts';
import {type KindName, kindOf, kinds} from '../kinds.ts';
import {checkLists, checkRemovals, checkTotals} from './check-lists.ts';
import {formatOf} from '../site.ts';

/** The maximum number of keys that are looked at, unless something is to be removed. */
const maxKeys = 10_000;

/** How many properties are named, and how many characters of each. */
const maxNamed = 5;
const maxName = 32;

const nothingMore = 'Nothing more has to be done.';

/** Which content is looked for. */
interface ContentChecks {
  /** The domains of the site; undefined if they are unknown. */
  readonly domains: readonly string[] | undefined;
  /** Whether what belongs to no link is removed. */
  readonly isCleaned: boolean;
}

/** Looks at a sample of the content. */
export async function checkContent(
  store: ToolStore,
  unreadable: readonly ShortUrlError[],
  {domains, isCleaned}: ContentChecks,
): Promise<Finding[]> {
  try {
    const findings = await checkFormat(store);
    findings.push(...(await checkRecords(store, unreadable, domains)));
    // The other checks rely on what these records have.
    if (isFound(damagedRecords, findings)) return findings;
    findings.push(...(await checkLists(store, {maxKeys, isCleaned})));
    findings.push(...(await checkRemovals(store, {maxKeys, isCleaned})));
    findings.push(...(await checkTotals(store, {maxKeys, isCleaned})));
    for (const kind of kinds) {
      const strays = allStrays[kind.name];
      if (strays) findings.push(...(await checkStrays(store, kind, strays, isCleaned)));
    }
    return findings;
  } catch (error) {
    // The adapter cannot list its keys.
    if (!(error instanceof TypeError)) throw error;
    const message = `The records could not be checked. ${error.message}`;
    return [
      advice('records_not_visible', message, 'Use a connection string, or a Keyv adapter that can list its keys.'),
    ];
  }
}

/** Records that can be read, but not as what they are. */
export const damagedRecords = 'damaged_records';

export function isFound(code: string, findings: readonly Finding[]): boolean {
  return findings.some((finding) => finding.code === code);
}

async function checkFormat(store: ToolStore): Promise<Finding[]> {
  const incomplete = (await formatOf(store))?.incomplete;
  if (incomplete === undefined) return [];
  return [problem('not_complete', notComplete(incomplete), 'docs/troubleshooting.md says how to use what is there.')];
}

async function checkRecords(
  store: ToolStore,
  unreadable: readonly ShortUrlError[],
  domains: readonly string[] | undefined,
): Promise<Finding[]> {
  const found = new Set<string>();
  const closing = new Set<string>();
  const faults: string[] = [];
  let closed = 0;
  let read = 0;
  let isWhole = true;
  for await (const keys of store.keys('records')) {
    isWhole = read < maxKeys;
    if (!isWhole) break;
    for (const item of await readItems(store, 'records', keys)) {
      faults.push(...faultsIn(item as RecordItem));
      if (!item.key.startsWith(linkRecords.prefix)) continue;
      const link = (item as RecordItem).value as LinkRecord;
      found.add(link.domain);
      const property = closingOf(link);
      if (property === undefined) continue;
      closing.add(property);
      closed += 1;
    }
    read += keys.length;
  }
  const findings: Finding[] = [];
  if (unreadable[0] !== undefined) {
    const message = `${unreadable.length} of ${read} checked records cannot be read. ${explain(unreadable[0])}`;
    findings.push(problem('unreadable_records', message, 'Restore these records from a backup, or remove them.'));
  }
  if (faults[0] !== undefined) {
    const message = `${faults.length} of ${read} checked records have a wrong value. ${faults[0]}.`;
    findings.push(
      problem(damagedRecords, message, 'Restore these records from a backup, or remove them. Then check again.'),
    );
  }
  if (closed > 0) findings.push(await ofClosed(store, closed, Array.from(closing)));
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

/** What is wrong with a record, if it is not one of its kind. */
function faultsIn({key, value}: RecordItem): readonly string[] {
  // What reads a link has looked at each of its properties but those of later versions, which a site ignores.
  const form = key.startsWith(linkRecords.prefix) ? undefined : kindOf(key)?.form;
  const fault = isDamaged(value) ? 'a link with this value is disabled' : form && problemIn(value, form, 'value');
  return fault === undefined ? [] : [`The first is ${inOneLine(key)}: ${fault}`];
}

async function ofClosed(store: ToolStore, closed: number, properties: readonly string[]): Promise<Finding> {
  const writer = `koa-short-url ${(await formatOf(store))?.version ?? 'of a later version'}`;
  const named = properties
    .slice(0, maxNamed)
    .map((property) => `\`${inOneLine(property).slice(0, maxName)}\``)
    .join(', ');
  const message =
    `Visitors get 503 at ${closed} of the checked links, which have a protection that koa-short-url ${version} does ` +
    `not know: ${named}. ${writer} has written it.`;
  return problem('closed_links', message, `Use ${writer} or later in every process of the site.`);
}

/** What was found under a key; of counters only the key. */
interface Found {
  readonly key: string;
  readonly entry: Entry<unknown> | undefined;
}

/** How what belongs to no link is found, told and removed. */
interface Strays {
  /** In the plural. */
  readonly what: string;
  /** Begins the codes of the findings. */
  readonly code: string;
  readonly cause: string;
  readonly remedy: string;
  /** The key of the link to which something belongs. */
  readonly linkKeyOf: (found: Found) => string;
  readonly remove: (store: ToolStore, found: Found, link: Entry<LinkRecord> | undefined) => Promise<void>;
}

/** By the name of a kind that is removed with its link. What `reuse` finds may be that of a create which is still running. */
const allStrays: Readonly<Partial<Record<KindName, Strays>>> = {
  v: {
    what: 'sets of counters',
    code: 'counters',
    cause: 'A killed import, or a removal without an answer, has left them.',
    remedy: 'koa-short-url check --clean, while no import is running',
    linkKeyOf: ({key}) => linkRecords.prefix + key.slice(linkCounters.prefix.length, key.lastIndexOf('}') + 1),
    remove: (store, {key}) => store.removeCounters(key),
  },
  reference: {
    what: 'references',
    code: 'references',
    cause: 'A killed process has left them.',
    remedy: 'koa-short-url check --clean',
    linkKeyOf: ({entry}) => linkRecords.key(entry?.value as ReferenceRecord),
    remove: (store, {key, entry}, link) => removeStray(store, key, entry as Entry<ReferenceRecord>, link),
  },
};

/** Looks for what belongs to no link, which a killed process leaves, and removes it on request. */
async function checkStrays(store: ToolStore, kind: AnyKind, strays: Strays, isCleaned: boolean): Promise<Finding[]> {
  const {what, code, cause, remedy} = strays;
  let looked = 0;
  let found = 0;
  for await (const keys of store.keys(kind.isCounters ? 'counters' : 'records', kind.prefix)) {
    if (!isCleaned && looked >= maxKeys) break;
    const removals = await removalsOf(store, kind, strays, keys);
    if (isCleaned) await Promise.all(removals.map((remove) => remove()));
    looked += keys.length;
    found += removals.length;
  }
  if (found === 0) return [];
  if (isCleaned) {
    return [advice(`${code}_removed`, `${found} ${what} belonged to no link. They were removed.`, nothingMore)];
  }
  const message = `Of ${looked} ${what} that were looked at ${found} belong to no link. ${cause} They only take space.`;
  return [advice(`${code}_without_link`, message, remedy)];
}

/** The removals of those keys whose link does not have them. */
async function removalsOf(
  store: ToolStore,
  {isCounters, keysOfLink}: AnyKind,
  {linkKeyOf, remove}: Strays,
  keys: readonly string[],
): Promise<Array<() => Promise<void>>> {
  const entries = isCounters ? [] : await store.getMany(keys);
  const found = keys
    .map((key, index) => ({key, entry: entries[index]}))
    .filter(({entry}) => isCounters || entry !== undefined);
  const links = await store.getMany<LinkRecord>(found.map(linkKeyOf));
  const removals = await Promise.all(
    found.map(async (each, index) => {
      const link = links[index];
      // A removed link keeps the name of its counters, so that a repeat of its create finds it.
      const isKept = link && isListed(link.value) && keysOfLink(link.value).includes(each.key);
      const isStray = link ? !isKept : await isAbsent(store, linkKeyOf(each));
      return isStray ? [() => remove(store, each, link)] : [];
    }),
  );
  return removals.flat();
}

/** Whether there is no link. One that cannot be read keeps what it has. */
async function isAbsent(store: ToolStore, key: string): Promise<boolean> {
  return store.get(key).then(
    (found) => found === undefined,
    (error: unknown) => {
      if (isUnavailable(error)) throw error;
      return false;
    },
  );
}
