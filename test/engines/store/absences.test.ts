import {setImmediate} from 'node:timers/promises';
import {shortUrl} from '../../../src/index.ts';
import {eachOf} from '../../support/engines/each.ts';
import {isNight} from '../../support/night.ts';
import {engines, hostEngines, openedOn} from '../../support/engines/engines.ts';

/** Milliseconds: an engine that is busy with other tests answers in less. */
const storeTimeout = 1000;

/** Does nothing for longer than the timeout, as a site that computes or is stopped. */
function block(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1.5 * storeTimeout);
}

// The deadlines of what the host has open are those of its engine.
const onEach = await eachOf([...engines, ...(isNight ? hostEngines : [])]);

onEach((check) => {
  check('a process that was blocked for longer than the timeout has no outage', async (t, engine) => {
    const shortener = shortUrl({...(await openedOn(engine, t)), storeTimeout, baseUrl: 'https://example.com'});
    t.teardown(() => shortener.close());
    const errors: Error[] = [];
    shortener.events.on('error', (error) => errors.push(error));
    const ready = shortener.ready();
    // Blocked before it connects, and while it does.
    block();
    await setImmediate();
    block();
    await t.notThrowsAsync(ready);
    await shortener.accounts.create('ann');
    const creates = Array.from({length: 5}, (_, index) =>
      shortener.links.create('ann', {url: `https://example.org/${index}`}),
    );
    for (let turn = 0; turn < 3; turn += 1) {
      block();
      await setImmediate();
    }
    await t.notThrowsAsync(Promise.all(creates));
    t.deepEqual(errors, []);
  });
});
