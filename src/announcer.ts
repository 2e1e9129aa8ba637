import {EventEmitter} from 'node:events';
import {isThenable} from './callback.ts';
import {type ErrorCode, ShortUrlError} from './errors.ts';
import type {EventMap, ShortUrlEvents} from './events.ts';
import {warnOfFailure} from './warnings.ts';

const hint = "Only the first such failure is printed: shortener.events.on('error', …) tells of each.";

/** The part of a request's context that leads to the host's app. */
interface AppContext {
  readonly app: {emit(event: 'error', ...values: unknown[]): unknown};
}

/** Tells the host what happens. A listener that throws, or rejects later, is reported and harms nobody. */
export class Announcer {
  readonly events: ShortUrlEvents = new EventEmitter<EventMap>();
  readonly #reported = new WeakSet<ShortUrlError>();
  readonly #warned = new Set<ErrorCode>();

  isHeard(event: keyof EventMap): boolean {
    return this.events.listenerCount(event) > 0;
  }

  announce<Event extends keyof EventMap>(event: Event, ...values: EventMap[Event]): void {
    for (const listener of this.events.rawListeners(event)) {
      const onFailure = (cause: unknown): void => {
        const error = new ShortUrlError('internal_error', `A listener of the event "${event}" failed.`, {cause});
        // A failing listener of `error` cannot be told of its own failure.
        if (event === 'error') warnOfFailure(error);
        else this.report(error);
      };
      try {
        const result: unknown = Reflect.apply(listener, this.events, values);
        if (isThenable(result)) Promise.resolve(result).catch(onFailure);
      } catch (cause) {
        onFailure(cause);
      }
    }
  }

  /**
   * Reports a failure to the listeners of `error`, once. Without a listener the first failure of each code becomes a
   * process warning, so that a mistake in the configuration is seen.
   */
  report(error: ShortUrlError): void {
    if (this.#reported.has(error)) return;
    this.#reported.add(error);
    if (this.isHeard('error')) this.announce('error', error);
    else if (!this.#warned.has(error.code)) {
      this.#warned.add(error.code);
      warnOfFailure(error, hint);
    }
  }

  /** Reports a fault that a request has met, to the host's app as well. An outage is reported by the store alone. */
  reportIn(ctx: AppContext, error: ShortUrlError): void {
    if (error.code !== 'internal_error') return;
    this.report(error);
    try {
      ctx.app.emit('error', error, ctx);
    } catch (cause) {
      warnOfFailure(new ShortUrlError('internal_error', "A listener of the app's error event failed.", {cause}));
    }
  }
}
