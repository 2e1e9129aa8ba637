import {type ConversionName, countedName, type Recorder} from '../../link/counters.ts';
import {kind} from '../../store/kind.ts';
import type {Entry, Store} from '../../store/port.ts';
import {listOf} from '../../values/objects.ts';
import {malformed, reader} from '../../values/input.ts';
import {currencyCode, text as aText} from '../../values/shape.ts';

const ofSite = 'site';

/** By the generation of an account, or those of the site. */
export const conversionNameRecords = kind('conversion-names', {
  keys: ['conversion-names:<…>'],
  content: "names of conversions, of the site or of an account's API calls",
  key: (generation: string) => [generation],
  form: listOf(aText),
  removed: 'by key',
  ofAccount: ({generation}) => [generation],
  // The conversions of its links have these names.
  shared: [ofSite],
});

// Bounds on the counters of a link, which has its own for each name, currency and day.
export const maxNames = 8;
export const maxCurrencies = 20;

export const readConversionName = reader(countedName, 'name of a conversion');
export const readCurrency = reader(currencyCode, 'currency');

/**
 * The names of conversions that the site uses, and those of the API calls of an account, each with its currencies.
 *
 * @param generation of the account; undefined for the names of the site alone
 */
export async function readConversionNames(store: Store, generation?: string): Promise<readonly ConversionName[]> {
  const owners = [ofSite, ...(generation === undefined ? [] : [generation])];
  const lists = await conversionNameRecords.in(store).getMany(owners);
  return (['site', 'account'] as const).flatMap((recordedBy, index) => namesFrom(recordedBy, lists[index]));
}

function namesFrom(recordedBy: Recorder, list: Entry<readonly string[]> | undefined): ConversionName[] {
  return (list?.value ?? []).map((text) => ({recordedBy, ...fromText(text)}));
}

/** As it is stored: `order`, or `order EUR`. */
const toText = ({name, currency}: NamedCurrency): string => (currency === undefined ? name : `${name} ${currency}`);

function fromText(text: string): NamedCurrency {
  const [name = '', currency] = text.split(' ');
  return {name, currency};
}

type NamedCurrency = Pick<ConversionName, 'name' | 'currency'>;

/**
 * Adds a name with its currency if it is new.
 *
 * @param generation of the account whose API call it is: its names are its own, so no account can use up those of the site
 * @throws ShortUrlError `malformed_parameter` if there are eight other names, or twenty other currencies
 */
export async function addConversionName(
  store: Store,
  added: NamedCurrency,
  generation: string = ofSite,
): Promise<void> {
  const text = toText(added);
  await conversionNameRecords.in(store).upsert(generation, (texts = []) => {
    if (texts.includes(text)) return undefined;
    const all = [...texts, text].map(fromText);
    const names = new Set(all.map(({name}) => name));
    if (names.size > maxNames) {
      names.delete(added.name);
      const others = [...names].join(', ');
      throw malformed(`There are at most ${maxNames} names of conversions: ${others}. Forget one to use another.`);
    }
    const currencies = new Set(all.flatMap(({currency}) => currency ?? []));
    if (currencies.size > maxCurrencies) throw malformed(`Conversions have at most ${maxCurrencies} currencies.`);
    return [...texts, text];
  });
}

/** @param generation of the account whose API calls have the name */
export async function removeConversionName(store: Store, name: string, generation: string = ofSite): Promise<boolean> {
  const outcome = {wasKnown: false};
  await conversionNameRecords.in(store).update(generation, (texts) => {
    const others = texts.filter((text) => fromText(text).name !== name);
    outcome.wasKnown = others.length < texts.length;
    return outcome.wasKnown ? others : undefined;
  });
  return outcome.wasKnown;
}
