import {EventEmitter} from 'node:events';
import {isThenable} from '../values/callback.ts';
import {type ErrorCode, ShortUrlError} from '../errors.ts';
import type {EventMap, ShortUrlEvents} from './events.ts';
import {type AppContext, emitError, warnOfFailure} from '../warnings.ts';

const hint = "Only the first failure is printed. To see all of them, use shortener.events.on('error', …).";

/** Emits the events for the host. A listener that throws or rejects is reported and affects no other code. */
export class Announcer {
  readonly events: ShortUrlEvents = new EventEmitter<EventMap>();
  readonly #reported = new WeakSet<ShortUrlError>();
  readonly #warned = new Set<ErrorCode>();

  hasListener(event: keyof EventMap): boolean {
    return this.events.listenerCount(event) > 0;
  }

  announce<Event extends keyof EventMap>(event: Event, ...values: EventMap[Event]): void {
    for (const listener of this.events.rawListeners(event)) {
      const onFailure = (cause: unknown): void => {
        const error = new ShortUrlError('internal_error', `A listener of the event "${event}" failed.`, {cause});
        // Reporting a failed `error` listener to itself could go on for ever.
        if (event === 'error') warnOfFailure(error);
        else this.report(error);
      };
      try {
        const result: unknown = Reflect.apply(listener, this.events, values.map(withOwnLink));
        if (isThenable(result)) Promise.resolve(result).catch(onFailure);
      } catch (cause) {
        onFailure(cause);
      }
    }
  }

  /**
   * Emits `error`, once for each error object. Without a listener the first failure of each code becomes a process
   * warning, so that a mistake in the configuration is seen.
   */
  report(error: ShortUrlError): void {
    if (this.#reported.has(error)) return;
    this.#reported.add(error);
    if (this.hasListener('error')) this.announce('error', error);
    else if (!this.#warned.has(error.code)) {
      this.#warned.add(error.code);
      warnOfFailure(error, hint);
    }
  }

  /**
   * Reports that a callback of the host failed.
   *
   * @returns the error, for a caller that rejects with it: code may call it, and may not log the rejection
   */
  reportFailure(message: string, cause: unknown): ShortUrlError {
    const error = new ShortUrlError('internal_error', message, {cause});
    this.report(error);
    return error;
  }

  /** Reports an `internal_error` of a request, also to the host's app. Ignores an outage, which the store reports. */
  reportIn(ctx: AppContext, error: ShortUrlError): void {
    if (error.code !== 'internal_error') return;
    this.report(error);
    emitError(ctx, error);
  }
}

/** An event with a copy of its link, because the caller gets the same link, and a listener may change it. */
function withOwnLink(value: EventMap[keyof EventMap][0]): object {
  if (!('link' in value)) return value;
  if (!('tags' in value.link)) return {...value, link: {...value.link}};
  const {tags, rules} = value.link;
  return {...value, link: {...value.link, tags: [...tags], rules: rules.map((rule) => ({...rule}))}};
}
