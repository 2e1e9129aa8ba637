import {arrivalKey, siteKey, accountPrefix, linkPrefix} from '../keys.ts';
import {nanoid} from 'nanoid';
import type {ToolStore} from '../store/port.ts';
import {update, upsert} from '../store/update.ts';
import {KeyTally} from './copy/key-tally.ts';
import {KeySorter} from './export/key-sorter.ts';
import {isEmpty, listKeys} from './listing.ts';
import {ToolError} from './tool-error.ts';

/** Names the site of the records in a store. The first tool that needs it writes it. */
interface Site {
  readonly id: string;
}

/** Describes a store as the target of a tool. */
interface Arrival {
  readonly site: string;
  /** Names the last run, so that a run notices that its source is its target. */
  readonly run: string;
  /** Names the store. A store that was never a target is `origin`. */
  readonly id: string;
  /** The store from which it was copied; absent after an import of a file. */
  readonly source?: string | undefined;
  /** The digest of its links and accounts after the copy; absent if the copy was interrupted. */
  readonly digest?: number | undefined;
}

/** The name of the site in a store. A site without a name gets one. */
export async function nameSite(store: ToolStore): Promise<string> {
  let site = await store.get<Site>(siteKey);
  if (site === undefined) {
    await store.insert(siteKey, {id: nanoid(16)} satisfies Site);
    site = await store.get<Site>(siteKey);
  }
  if (site === undefined) throw new ToolError('not_verified', 'The store does not keep what was written to it');
  return site.value.id;
}

/** Writes the name of an imported site. */
export async function keepName(store: ToolStore, site: string): Promise<void> {
  await store.insert(siteKey, {id: site} satisfies Site);
}

/** The state of a target before a run. */
export interface Claim {
  readonly wasEmpty: boolean;
  /** A mark of this run, which is in the target now. */
  readonly run: string;
  readonly earlier: Arrival | undefined;
}

/**
 * Claims a target for the records of a site, before anything else is written into it.
 *
 * @param source the store from which they are copied
 * @throws ToolError `other_site` if it has data of another site
 */
export async function claim(target: ToolStore, site: string, source?: ToolStore): Promise<Claim> {
  const [arrival, present] = await Promise.all([target.get<Arrival>(arrivalKey), target.get<Site>(siteKey)]);
  const known = present?.value.id ?? arrival?.value.site;
  if (known === undefined ? !(await isEmpty(target)) : known !== site) {
    const message = 'The target has the data of another site. Use an empty store or another namespace';
    throw new ToolError('other_site', message);
  }
  const run = nanoid(16);
  const wasEmpty = known === undefined;
  // A copy that is interrupted now is continued by the next one.
  const from = wasEmpty && source !== undefined ? {source: await nameOf(source)} : {};
  await upsert<Arrival>(target, arrivalKey, (before) => ({id: nanoid(16), ...before, ...from, site, run}));
  return {run, wasEmpty, earlier: arrival?.value};
}

/**
 * Checks that the source is another store than the target.
 *
 * @throws ToolError `same_store` if the source has the mark of the run that was written into the target
 */
export async function checkApart(source: ToolStore, target: ToolStore, {run, earlier}: Claim): Promise<void> {
  const seen = await source.get<Arrival>(arrivalKey);
  if (seen?.value.run !== run) return;
  if (earlier === undefined) await target.remove(arrivalKey);
  throw new ToolError('same_store', 'The source and the target are the same store and the same namespace');
}

/**
 * Checks that a target is the result of an earlier copy from the same store, and that no link and no account in it has
 * changed since.
 *
 * @throws ToolError `target_in_use`
 */
export async function checkUnused(source: ToolStore, target: ToolStore, {wasEmpty, earlier}: Claim): Promise<void> {
  if (wasEmpty) return;
  if (earlier?.source === undefined || earlier.source !== (await nameOf(source))) {
    // Otherwise copies from the target to its own targets would be refused.
    if (earlier === undefined) await target.remove(arrivalKey);
    throw new ToolError(
      'target_in_use',
      'The target has data of this site that was not copied from this source. A copy would undo later ' +
        'changes: disabled links, removed accounts, rotated keys. To copy anyway, overwrite the target',
    );
  }
  if (earlier.digest === undefined || earlier.digest === (await digestOf(target))) return;
  throw new ToolError(
    'target_in_use',
    'The target was used after the last copy: its links or accounts have changed. ' +
      'Copy in the other direction, or overwrite the target',
  );
}

/** Notes in the target that a copy begins. */
export async function noteCopyBegun(source: ToolStore, target: ToolStore): Promise<void> {
  const name = await nameOf(source);
  await update<Arrival>(target, arrivalKey, (arrival) => ({...arrival, source: name, digest: undefined}));
}

/** Notes in the target that a copy is complete. */
export async function noteCopied(target: ToolStore): Promise<void> {
  const digest = await digestOf(target);
  await update<Arrival>(target, arrivalKey, (arrival) => ({...arrival, digest}));
}

async function nameOf(store: ToolStore): Promise<string> {
  return (await store.get<Arrival>(arrivalKey))?.value.id ?? 'origin';
}

/** A digest of all links and accounts, whose changes no counter shows. */
async function digestOf(store: ToolStore): Promise<number> {
  const tally = new KeyTally();
  for (const prefix of [linkPrefix, accountPrefix]) {
    const sorter = new KeySorter();
    try {
      for await (const keys of listKeys(store, 'records', prefix)) await sorter.add(keys);
      for await (const keys of sorter.sorted()) {
        const texts = await store.getTexts(keys);
        tally.add(keys.map((key, index) => `${key} ${texts[index] ?? ''}`));
      }
    } finally {
      await sorter.dispose();
    }
  }
  return tally.sum;
}
