/**
 * Moves the clock of Node.js by `CLOCK_SHIFT` milliseconds: `node --import ./test/support/other-clock.js`. It is plain
 * JavaScript, so that any Node.js loads it.
 */
import process from 'node:process';

const Real = Date;
const real = Real.now;
const shift = Number(process.env.CLOCK_SHIFT);
const now = () => real() + shift;
// A test may replace it, and calls the one that it has replaced.
Real.now = now;

globalThis.Date = new Proxy(Real, {
  construct: (target, values, type) => Reflect.construct(target, values.length === 0 ? [now()] : values, type),
  apply: () => new Real(now()).toString(),
});
Real.prototype.constructor = globalThis.Date;
