import '../support/quick-scrypt.ts';
import {open} from '../support/dashboard.ts';
import {eachOf, sharedEngines} from '../support/engines/each.ts';
import {freshOn} from '../support/engines/engines.ts';
import {filesAgree} from '../support/year/files.ts';
import {liveYear} from '../support/year/live.ts';
import {agrees, spansOf, variantsAgree} from '../support/year/shown.ts';

const onEach = await eachOf(sharedEngines);

/** `YEAR_SEED` repeats a year. */
const seed = Number(process.env['YEAR_SEED'] ?? Date.now() % 1_000_000);

onEach((check) => {
  check(`a year of orders is the same as in a book that was kept apart (YEAR_SEED=${seed})`, async (t, engine) => {
    t.timeout(600_000);
    const shortUrl = {...(await freshOn(engine, t)), timeZone: 'Europe/Berlin', attribution: {}};
    const stage = await open(t, {shortUrl});
    const lived = await liveYear(stage, seed);
    const [year = lived.year, january, february] = spansOf(lived);
    for (const days of [year, january ?? year, february ?? year]) await agrees(t, stage, lived, days);
    await filesAgree(t, stage, lived, year);
    await variantsAgree(t, stage, lived);
  });
});
