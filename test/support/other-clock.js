/**
 * Moves the clock of Node.js by `CLOCK_SHIFT` milliseconds: `node --import ./test/support/other-clock.js`. It is plain
 * JavaScript, so that any Node.js loads it.
 */
import process from 'node:process';

const Real = Date;
const shift = Number(process.env.CLOCK_SHIFT);
const now = () => Real.now() + shift;

globalThis.Date = new Proxy(Real, {
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  construct: (target, values, type) => Reflect.construct(target, values.length === 0 ? [now()] : values, type),
  apply: () => new Real(now()).toString(),
});
Real.prototype.constructor = globalThis.Date;
