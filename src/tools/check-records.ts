import type {ShortUrlError} from '../errors.ts';
import {linkPrefix, type LinkRecord} from '../links/record.ts';
import type {Finding} from '../store/findings.ts';
import type {ToolStore} from '../store/port.ts';
import {explain} from '../warnings.ts';
import {listKeys} from './listing.ts';

/** The most records that are read. */
const maxRecords = 10_000;

/** Reads a sample of the records. */
export async function checkRecords(
  store: ToolStore,
  unreadable: readonly ShortUrlError[],
  domain: string | undefined,
): Promise<Finding[]> {
  const domains = new Map<string, number>();
  let read = 0;
  try {
    for await (const keys of listKeys(store, 'records')) {
      const entries = await store.getMany<Partial<LinkRecord>>(keys);
      for (const [index, key] of keys.entries()) {
        const found = key.startsWith(linkPrefix) ? entries[index]?.value.domain : undefined;
        if (found !== undefined) domains.set(found, (domains.get(found) ?? 0) + 1);
      }
      read += keys.length;
      if (read >= maxRecords) break;
    }
  } catch (error) {
    // The adapter cannot list its keys.
    if (!(error instanceof TypeError)) throw error;
    return [notListed(error)];
  }
  return [...ofUnreadable(unreadable, read), ...ofDomains(domains, domain)];
}

function ofUnreadable(unreadable: readonly ShortUrlError[], read: number): Finding[] {
  const [first] = unreadable;
  if (first === undefined) return [];
  const message = `Of ${read} records that were looked at ${unreadable.length} cannot be read. ${explain(first)}`;
  const remedy = 'Restore these records from a backup, or remove them.';
  return [{severity: 'problem', code: 'unreadable_records', message, remedy}];
}

function ofDomains(domains: ReadonlyMap<string, number>, domain: string | undefined): Finding[] {
  if (domain === undefined || domains.size === 0 || domains.has(domain)) return [];
  const others = Array.from(domains.keys()).slice(0, 3).join(', ');
  const message = `No link in the store is on ${domain}. There are links on ${others}.`;
  const remedy = 'Give the base URL of the site to which this store belongs, or add its domains to `baseDomains`.';
  return [{severity: 'problem', code: 'other_domain', message, remedy}];
}

function notListed({message}: TypeError): Finding {
  return {
    severity: 'advice',
    code: 'records_not_visible',
    message: `The records could not be looked at. ${message}`,
    remedy: 'Use a connection string, or a Keyv adapter that can list its keys.',
  };
}
