import {isThenable} from '../values/callback.ts';
import type {Running} from '../running.ts';

/**
 * An object with the methods of another one, whose calls are counted while they are under way. Promises and generators are
 * the only results. A caller may use the same object for its next call at once: it is taken as it is now.
 */
export function counted<Face extends object>(face: Face, running: Running): Face {
  return new Proxy(face, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...values: unknown[]): unknown => {
        const result: unknown = Reflect.apply(method, target, values.map(asItIs));
        return isThenable(result) ? running.run(async () => result) : running.iterate(result as AsyncIterable<unknown>);
      };
    },
  });
}

/** A copy of a plain object; anything else, such as a context or a list, as it is. */
function asItIs(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Symbol.iterator in value || Symbol.asyncIterator in value ? value : {...value};
}
