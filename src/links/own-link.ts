import {setTimeout as delay} from 'node:timers/promises';
import type {Account} from '../accounts/accounts.ts';
import {ShortUrlError} from '../errors.ts';
import {linkRecords} from '../link/records.ts';
import type {Entry} from '../store/port.ts';
import type {LinkIdentifier} from '../link/link.ts';
import {referenceLine} from '../link/fields.ts';
import {isListed, type LinkRecord} from '../link/record.ts';
import {unknown} from '../link/refusals.ts';
import {reader, readFields} from '../values/input.ts';
import {hasReference, referenceRecords} from './references.ts';
import type {LinkServices} from './services.ts';

/**
 * The shortest time before a short URL is called unknown, in milliseconds; the longest is twice as long. Reading a record
 * takes longer than finding none. Without the delay, the time would show which short URLs belong to other accounts.
 */
const refusalTime = 10;

/** @throws ShortUrlError `unknown_short_url` for a link that does not exist or belongs to another account */
export async function findOwn(
  dependencies: Pick<LinkServices, 'store' | 'bases'>,
  account: Account,
  identifier: LinkIdentifier,
): Promise<Entry<LinkRecord>> {
  if (typeof identifier !== 'string') {
    const {reference} = readFields(identifier, 'A link is found by', {reference: reader(referenceLine, 'reference')});
    const found = reference === undefined ? undefined : await findReferenced(dependencies, account, reference);
    if (found !== undefined) return found;
    throw new ShortUrlError('unknown_short_url', 'This account has no link with that reference.');
  }
  const refusal = delay(refusalTime * (1 + Math.random()));
  const name = dependencies.bases.parseOwnUrl(identifier);
  const entry = name && (await linkRecords.in(dependencies.store).get(name));
  if (entry?.value.generation === account.generation && isListed(entry.value)) return entry;
  await refusal;
  if (name === undefined) throw unknown(`: give it in full, such as ${dependencies.bases.main.root}/yh4mVKX.`);
  throw unknown();
}

/** The link of an account that has a reference; undefined if there is none. */
export async function findReferenced(
  {store}: Pick<LinkServices, 'store'>,
  {generation}: Account,
  reference: string,
): Promise<Entry<LinkRecord> | undefined> {
  const id = {generation, reference};
  const pointer = (await referenceRecords.in(store).get(id))?.value;
  const entry = pointer && (await linkRecords.in(store).get(pointer));
  return entry && isListed(entry.value) && hasReference(entry, id, pointer) ? entry : undefined;
}
