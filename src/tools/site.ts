import {nanoid} from 'nanoid';
import {version as ours} from '../version.ts';
import {newest, notComplete} from '../store/findings.ts';
import {object} from '../values/objects.ts';
import {text} from '../values/shape.ts';
import {kind} from '../store/kind.ts';
import {formatKey, type StoredFormat, type ToolStore} from '../store/port.ts';
import {recordsIn} from '../store/records.ts';
import {isEmpty} from './listing.ts';
import {ToolError} from './tool-error.ts';

/** Names the site of the records in a store. The first tool that needs it writes it, and a copy or an import makes it again. */
export const siteNames = kind('site', {
  keys: ['site'],
  content: 'the name of the site, also in its copies and exports',
  form: object({id: text}),
  isLocal: true,
  removed: 'never',
});

/** The name of the site in a store. A site without a name gets one. */
export async function nameSite(store: ToolStore): Promise<string> {
  const names = siteNames.in(store);
  let site = await names.get();
  if (site === undefined) {
    await names.insert(undefined, {id: nanoid(16)});
    site = await names.get();
  }
  if (site === undefined) throw new ToolError('not_verified', 'The store does not keep what was written to it');
  return site.value.id;
}

export async function formatOf(store: ToolStore): Promise<StoredFormat | undefined> {
  return (await store.get<StoredFormat>(formatKey))?.value;
}

/**
 * Checks that a target is empty or has records of the site.
 *
 * @returns whether it is empty
 * @throws ToolError `other_site`
 */
export async function checkSite(target: ToolStore, site: string): Promise<boolean> {
  const present = await siteNames.in(target).get();
  const wasEmpty = present === undefined && (await isEmpty(target));
  if (wasEmpty || present?.value.id === site) return wasEmpty;
  throw new ToolError('other_site', 'The target has the data of another site. Use an empty store or another namespace');
}

/**
 * Notes in a target whose site it has, before anything else is written, so that the next run continues this one. A site
 * refuses a target that is `incomplete`.
 */
export async function noteSite(
  target: ToolStore,
  site: string,
  {
    copyOf,
    ignoresCase,
    version,
    incomplete,
  }: Pick<StoredFormat, 'copyOf' | 'ignoresCase' | 'incomplete'> & {readonly version?: string | undefined},
): Promise<void> {
  // The first write of a store makes its format.
  await recordsIn<Partial<StoredFormat>>(target).upsert(formatKey, (format) => ({
    ...format,
    copyOf,
    ignoresCase,
    incomplete,
    version: newest(format?.version, version ?? ours),
  }));
  await siteNames.in(target).insert(undefined, {id: site});
}

/** Notes in a target that a copy or an import is complete. */
export async function noteComplete(target: ToolStore): Promise<void> {
  await recordsIn<StoredFormat>(target).update(formatKey, (format) =>
    format.incomplete === undefined ? undefined : {...format, incomplete: undefined},
  );
}

/** @throws ToolError `incomplete` for a source into which a copy or an import is not complete */
export async function checkComplete(source: ToolStore): Promise<void> {
  const incomplete = (await formatOf(source))?.incomplete;
  if (incomplete !== undefined) throw new ToolError('incomplete', notComplete(incomplete));
}
