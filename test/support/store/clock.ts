import {performance} from 'node:perf_hooks';
import type {ExecutionContext} from 'ava';

/** Holds the clock of the process for a test, which sets it by hand; timers run on. */
export function heldClock(t: ExecutionContext): {now: number} {
  const clock = {now: 1_000_000};
  performance.now = () => clock.now;
  t.teardown(() => Reflect.deleteProperty(performance, 'now'));
  return clock;
}
