import {conversionNamesKey} from '../../records.ts';
import {malformed} from '../../link/readers.ts';
import type {ConversionName} from '../../link/counters.ts';
import type {Store} from '../../store/port.ts';
import {upsert} from '../../store/update.ts';

/** A bound on the counters of a link, which has its own for each name and day. */
const maxNames = 8;

/** The names of conversions that the site uses, and those of the API calls of an account. */
export async function readConversionNames(store: Store, generation: string): Promise<readonly ConversionName[]> {
  const lists = await store.getMany<readonly string[]>([conversionNamesKey(), conversionNamesKey(generation)]);
  return (['site', 'account'] as const).flatMap((recordedBy, index) =>
    (lists[index]?.value ?? []).map((name) => ({recordedBy, name})),
  );
}

/**
 * Adds a name if it is new.
 *
 * @param generation of the account whose API call it is: its names are its own, so no account can use up those of the site
 * @throws ShortUrlError `malformed_parameter` if there are eight others
 */
export async function addConversionName(store: Store, name: string, generation?: string): Promise<void> {
  await upsert<readonly string[]>(store, conversionNamesKey(generation), (names = []) => {
    if (names.includes(name)) return undefined;
    if (names.length < maxNames) return [...names, name];
    throw malformed(`There are at most ${maxNames} names of conversions: ${names.join(', ')}.`);
  });
}
