import test from 'ava';
import {Keyv} from 'keyv';
import {ShortUrlError} from '../../../src/index.ts';
import {Availability} from '../../../src/store/availability.ts';
import {Deadline} from '../../../src/store/deadline.ts';
import {refused} from '../../support/answers.ts';
import {FailingAdapter} from '../../support/failing-adapter.ts';
import {startSite} from '../../support/site.ts';

test.serial('calls that fail during an outage are not told as outages of their own, however far apart', async (t) => {
  const store = new FailingAdapter();
  const site = await startSite(t, {shortUrl: {store: new Keyv({store}), secret: 'x'.repeat(40)}});
  const errors: ShortUrlError[] = [];
  site.shortener.events.on('error', (error) => errors.push(error));
  const now = performance.now.bind(performance);
  t.teardown(() => {
    performance.now = now;
  });
  store.isDown = true;
  for (let call = 0; call < 4; call += 1) {
    performance.now = () => now() + call * 5000;
    refused(t, await site.api('list_active_urls'), 'store_unavailable');
  }
  t.is(errors.length, 1);
  store.isDown = false;
});

test('a store that answers pings and refuses every try is told of ever more seldom', async (t) => {
  const clock = {now: 0};
  const told: number[] = [];
  const availability = new Availability(
    () => Promise.resolve(),
    () => told.push(clock.now),
    () => clock.now,
  );
  const fail = async (): Promise<void> => {
    availability.failed(new ShortUrlError('store_unavailable', 'OOM command not allowed'));
    await availability.whenBack();
  };
  for (let tries = 0; tries < 300; tries += 1) {
    await fail();
    clock.now += 3000;
  }
  t.true(told.length <= 4, told.join());
  told.length = 0;
  for (let outage = 0; outage < 3; outage += 1) {
    clock.now += 61_000;
    await fail();
  }
  t.is(told.length, 3, 'outages that are far apart are each told of');
});

test('as many commands as a call is made of may listen to its deadline', async (t) => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  const {signal} = new Deadline(1000);
  for (let index = 0; index < 50; index += 1) signal.addEventListener('abort', () => undefined);
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  t.deepEqual(warnings, []);
});
