import {countersPrefix, linkPrefix} from '../../keys.ts';
import {type LinkRecord} from '../../link/record.ts';
import {advice, type Finding} from '../../store/findings.ts';
import type {ToolStore} from '../../store/port.ts';
import {listKeys} from '../listing.ts';

/** The maximum number of sets of counters that are looked at without being removed. */
const maxSets = 10_000;

/** Looks for counters that belong to no link, which a killed import leaves, and removes them on request. */
export async function checkCounters(store: ToolStore, isCleaned: boolean): Promise<Finding[]> {
  let looked = 0;
  let found = 0;
  for await (const keys of listKeys(store, 'counters', countersPrefix)) {
    if (!isCleaned && looked >= maxSets) break;
    const stray = await withoutLink(store, keys);
    if (isCleaned) await Promise.all(stray.map((key) => store.removeCounters(key)));
    looked += keys.length;
    found += stray.length;
  }
  if (found === 0) return [];
  if (isCleaned) {
    const message = `${found} sets of counters belonged to no link. They were removed.`;
    return [advice('counters_removed', message, 'Nothing more has to be done.')];
  }
  const message = `Of ${looked} sets of counters that were looked at ${found} belong to no link. A killed import has left them. They only take space.`;
  return [advice('counters_without_link', message, 'koa-short-url check --clean, while no import is running')];
}

async function withoutLink(store: ToolStore, keys: readonly string[]): Promise<string[]> {
  const parsed = keys.map((key) => {
    const [, tag = '', name = ''] = /^v:(\{.*\}):(.*)$/.exec(key) ?? [];
    return {key, link: linkPrefix + tag, name};
  });
  const links = parsed.map(({link}) => link);
  const [entries, texts] = await Promise.all([store.getMany<LinkRecord>(links), store.getTexts(links)]);
  const stray = parsed.filter(({name}, index) => {
    const entry = entries[index];
    // A link that cannot be read keeps its counters.
    return entry === undefined ? texts[index] === undefined : entry.value.counters !== name;
  });
  return stray.map(({key}) => key);
}
