import {subscribe, unsubscribe} from 'node:diagnostics_channel';
import type {IncomingMessage, ServerResponse} from 'node:http';

/** Node.js publishes here each answer that one of its HTTP servers has sent. */
const sentChannel = 'http.server.response.finish';

/** The requests that a shortener of this process got, while one of them listens. */
const reached = new WeakSet<object>();

const counts = {listening: 0};

/**
 * Which requests reach a shortener. They are noted only while they can show a mistake, because it takes time: from the first
 * link that the process creates to the first link that answers.
 */
export class Reach {
  readonly #onMissed: (request: IncomingMessage, response: ServerResponse) => void;
  #state: 'new' | 'listening' | 'done' = 'new';

  /** @param onMissed called with an answer whose request has reached no shortener */
  constructor(onMissed: (request: IncomingMessage, response: ServerResponse) => void) {
    this.#onMissed = onMissed;
  }

  /** Call this when a request has reached the shortener. */
  note(request: object): void {
    if (counts.listening > 0) reached.add(request);
  }

  /** Listens until a link has answered. */
  listen(): void {
    if (this.#state !== 'new') return;
    this.#state = 'listening';
    counts.listening += 1;
    subscribe(sentChannel, this.#onSent);
  }

  stop(): void {
    if (this.#state === 'listening') {
      counts.listening -= 1;
      unsubscribe(sentChannel, this.#onSent);
    }
    this.#state = 'done';
  }

  readonly #onSent = (message: unknown): void => {
    const {request, response} = message as {readonly request: IncomingMessage; readonly response: ServerResponse};
    if (!reached.has(request)) this.#onMissed(request, response);
  };
}
