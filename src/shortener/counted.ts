import {isThenable} from '../values/callback.ts';
import type {Running} from '../running.ts';

/** An object with the methods of another one, whose calls are counted while they are under way. Promises and generators are the only results. */
export function counted<Face extends object>(face: Face, running: Running): Face {
  return new Proxy(face, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...values: unknown[]): unknown => {
        const result: unknown = Reflect.apply(method, target, values);
        return isThenable(result) ? running.run(async () => result) : running.iterate(result as AsyncIterable<unknown>);
      };
    },
  });
}
