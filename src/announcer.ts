import {EventEmitter} from 'node:events';
import {isThenable} from './callback.ts';
import {ShortUrlError} from './errors.ts';
import type {EventMap, ShortUrlEvents} from './events.ts';

/** Tells the host's listeners, and contains what they throw, also later: that becomes an `error` event. */
export class Announcer {
  readonly events: ShortUrlEvents = new EventEmitter<EventMap>();

  isHeard(event: keyof EventMap): boolean {
    return this.events.listenerCount(event) > 0;
  }

  announce<Event extends keyof EventMap>(event: Event, ...values: EventMap[Event]): void {
    for (const listener of this.events.rawListeners(event)) {
      try {
        const result: unknown = Reflect.apply(listener, this.events, values);
        if (isThenable(result))
          Promise.resolve(result).catch((cause: unknown) => {
            this.#report(event, cause);
          });
      } catch (cause) {
        this.#report(event, cause);
      }
    }
  }

  #report(event: keyof EventMap, cause: unknown): void {
    const error = new ShortUrlError('internal_error', `A listener of the event "${event}" failed.`, {cause});
    // A failing listener of `error` cannot be told of its own failure.
    if (event !== 'error' && this.isHeard('error')) this.announce('error', error);
    else process.emitWarning(error);
  }
}
