import '../support/quick-scrypt.ts';
import test from 'ava';
import {importNdjson} from '../../src/tools/import/import-ndjson.ts';
import {open} from '../support/dashboard.ts';
import {exported, partsOf} from '../support/tools/text.ts';
import {filesAgree, sharedAgrees} from '../support/year/files.ts';
import {liveYear} from '../support/year/live.ts';
import {agrees, spansOf, variantsAgree} from '../support/year/shown.ts';

const attribution = {};
const timeZone = 'Europe/Berlin';
const secret = 'what seals the keys of these tests';

/** `YEAR_SEED` repeats a year. */
const seed = Number(process.env['YEAR_SEED'] ?? 731);

test('a year of orders is the same as in a book that was kept apart, to the cent, also after an export and its import', async (t) => {
  t.timeout(300_000);
  const store = new Map();
  const stage = await open(t, {shortUrl: {store, secret, timeZone, attribution}});
  const lived = await liveYear(stage, seed);
  for (const days of spansOf(lived)) await agrees(t, stage, lived, days);
  for (const days of spansOf(lived).slice(0, 4)) {
    await filesAgree(t, stage, lived, days);
    await sharedAgrees(t, stage, lived, days);
  }
  await variantsAgree(t, stage, lived);

  const copied = new Map();
  const baseUrl = stage.origin;
  await importNdjson({store: copied, file: partsOf((await exported({store})).text)});
  const again = await open(t, {shortUrl: {store: copied, baseUrl, secret, timeZone, attribution}});
  again.clock.now = stage.clock.now;
  await agrees(t, again, lived, lived.year);
  await variantsAgree(t, again, lived);
});
