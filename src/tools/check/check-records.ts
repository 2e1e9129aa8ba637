import {linkPrefix} from '../../keys.ts';
import type {ShortUrlError} from '../../host/errors.ts';
import {type LinkRecord} from '../../link/record.ts';
import type {Finding} from '../../store/findings.ts';
import type {ToolStore} from '../../store/port.ts';
import {explain} from '../../host/warnings.ts';
import {listKeys} from '../listing.ts';

/** The maximum number of records that are read. */
const maxRecords = 10_000;

/**
 * Reads a sample of the records.
 *
 * @param ownDomains the domains of the site; undefined if they are unknown
 */
export async function checkRecords(
  store: ToolStore,
  unreadable: readonly ShortUrlError[],
  ownDomains: readonly string[] | undefined,
): Promise<Finding[]> {
  const sample = {domains: new Set<string>(), isWhole: true};
  let read = 0;
  try {
    for await (const keys of listKeys(store, 'records')) {
      if (read >= maxRecords) {
        sample.isWhole = false;
        break;
      }
      const entries = await store.getMany<Partial<LinkRecord>>(keys);
      for (const [index, key] of keys.entries()) {
        const found = key.startsWith(linkPrefix) ? entries[index]?.value.domain : undefined;
        if (found !== undefined) sample.domains.add(found);
      }
      read += keys.length;
    }
  } catch (error) {
    // The adapter cannot list its keys.
    if (!(error instanceof TypeError)) throw error;
    return [notListed(error)];
  }
  return [...ofUnreadable(unreadable, read), ...ofDomains(sample, ownDomains)];
}

function ofUnreadable(unreadable: readonly ShortUrlError[], read: number): Finding[] {
  const [first] = unreadable;
  if (first === undefined) return [];
  const message = `${unreadable.length} of ${read} checked records cannot be read. ${explain(first)}`;
  const remedy = 'Restore these records from a backup, or remove them.';
  return [{severity: 'problem', code: 'unreadable_records', message, remedy}];
}

/** On some engines the sample is sorted by domain, so a part of the records may have none of the site's domains. */
function ofDomains(
  {domains, isWhole}: {readonly domains: ReadonlySet<string>; readonly isWhole: boolean},
  ownDomains: readonly string[] | undefined,
): Finding[] {
  if (ownDomains === undefined || domains.size === 0 || ownDomains.some((own) => domains.has(own))) return [];
  const others = Array.from(domains).slice(0, 3).join(', ');
  const none = isWhole ? 'No link in the store' : `None of the links among the first ${maxRecords} records`;
  const message = `${none} is on ${ownDomains.join(' or ')}. There are links on ${others}.`;
  const remedy = 'Pass the base URL of the site that uses this store, and all of its `baseDomains`.';
  return [{severity: isWhole ? 'problem' : 'advice', code: 'other_domain', message, remedy}];
}

function notListed({message}: TypeError): Finding {
  return {
    severity: 'advice',
    code: 'records_not_visible',
    message: `The records could not be checked. ${message}`,
    remedy: 'Use a connection string, or a Keyv adapter that can list its keys.',
  };
}
