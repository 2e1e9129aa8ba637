import '../../../support/quick-scrypt.ts';
import test from 'ava';
import {importLinks} from '../../../../src/tools/import/import-links.ts';
import {collect} from '../../../support/collect.ts';
import {corpus} from '../../../support/tools/corpus.ts';
import {noon, type Place, runSite} from '../../../support/tools/world.ts';

for (const [index, {what, file, format = 'csv', options = {}, becomes, told = [], ignored = []}] of corpus.entries()) {
  test(`file ${index + 1} is read as it is meant: ${what}`, async (t) => {
    const place: Place = {store: new Map()};
    const {shortener} = await runSite(t, {...place, ...(options.shortParts && {shortParts: options.shortParts})});
    await shortener.accounts.create('ann');
    const lines: string[] = [];
    const summary = await importLinks({
      store: place.store,
      account: 'ann',
      baseUrl: 'https://example.com',
      baseDomains: ['sho.rt'],
      format,
      file: [file],
      now: () => noon,
      onReport: ({line, code}) => lines.push(`${line} ${code}`),
      ...options,
    });
    const links = await collect(shortener.links.list('ann'));
    t.deepEqual(links.map(({shortUrlPart}) => shortUrlPart).toSorted(), Object.keys(becomes).toSorted());
    for (const link of links) t.like(link, becomes[link.shortUrlPart] ?? {}, link.shortUrlPart);
    t.deepEqual(lines.toSorted(), [...told].toSorted());
    t.deepEqual(summary.ignoredColumns.toSorted(), [...ignored].toSorted());
  });
}
