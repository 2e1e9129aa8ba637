import type {Counters} from '../../store/port.ts';
import {readValues, countValues, type RecordValue, type Values} from '../copy/content.ts';
import type {ExportScope} from './export-scope.ts';
import {countersLine, endLine, headLine, recordLine} from './export-line.ts';
import {accountParts, siteParts} from './exported-keys.ts';
import {nameSite} from '../site.ts';

/** The export as lines of JSON, a few hundred in each text. */
export async function* ndjsonOf({store, account, tally, onProgress}: ExportScope): AsyncGenerator<string> {
  const site = await nameSite(store);
  const parts = account === undefined ? siteParts(store) : accountParts(store, account);
  try {
    yield headLine(site, account?.id);
    for (const {kind, sorter, list, take} of parts) {
      await list();
      for await (const keys of sorter.sorted()) {
        const read = await readValues(store, kind, keys);
        const values = take ? await take(read) : read;
        if (values.size === 0) continue;
        yield Array.from(values, ([key, value]) =>
          kind === 'records' ? recordLine(key, value as RecordValue) : countersLine(key, value as Counters),
        ).join('');
        tally[kind] += values.size;
        if (kind === 'records') countValues(tally, values as Values<'records'>);
        onProgress({phase: `exporting ${kind}`, done: tally[kind]});
      }
    }
    yield endLine(tally.records, tally.counters);
  } finally {
    await Promise.all(parts.map(({sorter}) => sorter.dispose()));
  }
}
