import {performance} from 'node:perf_hooks';
import type {ExecutionContext} from 'ava';

/** Stops the process's clock for a test, which sets it by hand. Timers go on. */
export function heldClock(t: ExecutionContext): {now: number} {
  const clock = {now: 1_000_000};
  performance.now = () => clock.now;
  t.teardown(() => Reflect.deleteProperty(performance, 'now'));
  return clock;
}
