import {nanoid} from 'nanoid';
import {storeKey} from '../store/key.ts';
import type {ToolStore} from '../store/port.ts';
import {upsert} from '../store/update.ts';
import {isEmpty} from './listing.ts';
import {ToolError} from './tool-error.ts';

/** Which site the records of a store belong to. The first tool that has to know writes it. */
interface Site {
  readonly id: string;
}

/** In a store that was written by a tool: whose records it takes, and which run came last. */
interface Arrival {
  readonly site: string;
  readonly run: string;
}

export const siteKey = storeKey('site');
/** It tells of the store itself, so it is neither copied nor exported. */
export const arrivalKey = storeKey('arrival');

/** The name of the site whose records these are; it gets one if it has none. */
export async function nameSite(store: ToolStore): Promise<string> {
  let site = await store.get<Site>(siteKey);
  if (site === undefined) {
    await store.insert(siteKey, {id: nanoid(16)} satisfies Site);
    site = await store.get<Site>(siteKey);
  }
  if (site === undefined) throw new ToolError('not_verified', 'The store does not keep what is written into it');
  return site.value.id;
}

/** Gives the store the name of the site that has been brought into it. */
export async function keepName(store: ToolStore, site: string): Promise<void> {
  await store.insert(siteKey, {id: site} satisfies Site);
}

/**
 * Claims a target for the records of a site, before anything else is written into it.
 *
 * @returns a mark of this run, which stands in the target, and whether nothing stood there before
 * @throws ToolError `other_site` if it holds anything that is not this site's
 */
export async function claim(target: ToolStore, site: string): Promise<{run: string; wasEmpty: boolean}> {
  const [arrival, present] = await Promise.all([target.get<Arrival>(arrivalKey), target.get<Site>(siteKey)]);
  const known = present?.value.id ?? arrival?.value.site;
  if (known === undefined ? !(await isEmpty(target)) : known !== site) {
    const message = 'The target holds the data of another site: give it an empty store or another namespace';
    throw new ToolError('other_site', message);
  }
  const run = nanoid(16);
  await upsert<Arrival>(target, arrivalKey, () => ({site, run}));
  return {run, wasEmpty: known === undefined};
}

/** @throws ToolError `same_store` if the mark of the run that stands in the target can be seen in the source */
export async function checkApart(source: ToolStore, target: ToolStore, run: string): Promise<void> {
  const seen = await source.get<Arrival>(arrivalKey);
  if (seen?.value.run !== run) return;
  await target.remove(arrivalKey);
  throw new ToolError('same_store', 'The source and the target are the same store and the same namespace');
}
