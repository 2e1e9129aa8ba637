import {nanoid} from 'nanoid';
import {storeKey} from '../store/key.ts';
import type {ToolStore} from '../store/port.ts';
import {upsert} from '../store/update.ts';
import {isEmpty} from './listing.ts';
import {ToolError} from './tool-error.ts';

/** Names the site of the records in a store. The first tool that needs it writes it. */
interface Site {
  readonly id: string;
}

/** Stands in the target of a tool: the site of its records, and the last run. */
interface Arrival {
  readonly site: string;
  readonly run: string;
}

export const siteKey = storeKey('site');
/** It describes the store itself, so it is neither copied nor exported. */
export const arrivalKey = storeKey('arrival');

/** The name of the site in a store. A site without a name gets one. */
export async function nameSite(store: ToolStore): Promise<string> {
  let site = await store.get<Site>(siteKey);
  if (site === undefined) {
    await store.insert(siteKey, {id: nanoid(16)} satisfies Site);
    site = await store.get<Site>(siteKey);
  }
  if (site === undefined) throw new ToolError('not_verified', 'The store does not keep what is written into it');
  return site.value.id;
}

/** Writes the name of an imported site. */
export async function keepName(store: ToolStore, site: string): Promise<void> {
  await store.insert(siteKey, {id: site} satisfies Site);
}

/**
 * Claims a target for the records of a site, before anything else is written into it.
 *
 * @returns a mark of this run, which is in the target now, and whether the target was empty
 * @throws ToolError `other_site` if it has data of another site
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

/** @throws ToolError `same_store` if the source has the mark of the run that was written into the target */
export async function checkApart(source: ToolStore, target: ToolStore, run: string): Promise<void> {
  const seen = await source.get<Arrival>(arrivalKey);
  if (seen?.value.run !== run) return;
  await target.remove(arrivalKey);
  throw new ToolError('same_store', 'The source and the target are the same store and the same namespace');
}
