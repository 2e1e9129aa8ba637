import fc from 'fast-check';
import {eachOf} from '../../support/engines/each.ts';
import {engines, freshOn} from '../../support/engines/engines.ts';
import {stories} from './actions.ts';
import {Run} from './run.ts';
import {startSite} from '../../support/site.ts';

// MODEL_RUNS=5000 MODEL_ACTIONS=200 searches longer. MODEL_SEED and MODEL_PATH repeat a failure.
const runs = Number(process.env['MODEL_RUNS'] ?? 40);
const maxActions = Number(process.env['MODEL_ACTIONS'] ?? 60);
/** Two hours before the end of a day and a month. */
const start = Date.parse('2031-02-28T22:00:00Z');
const {MODEL_SEED: seed, MODEL_PATH: path} = process.env;

const onEach = await eachOf(engines);

onEach((check) => {
  check('every answer is that of a simple model, for any actions in any order', async (t, engine) => {
    const options = await freshOn(engine, t);
    // Two sites share the engine where that is possible.
    // The clock goes back with each story, and many accounts have no key.
    const settings = {shortUrl: {...options, keyAttempts: 1_000_000}};
    const sites = [await startSite(t, settings)];
    if (engine.isShared) sites.push(await startSite(t, settings));
    let run = 0;
    await fc.assert(
      fc.asyncProperty(stories(maxActions), async (story) => {
        const names = `r${run++}`;
        const service = new Run(sites, names, start);
        for (const action of story) await service.act(action);
        await service.check();
      }),
      {numRuns: runs, ...(seed !== undefined && {seed: Number(seed)}), ...(path !== undefined && {path})},
    );
    t.pass();
  });
});
