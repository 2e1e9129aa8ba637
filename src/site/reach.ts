import {subscribe, unsubscribe} from 'node:diagnostics_channel';
import type {IncomingMessage, ServerResponse} from 'node:http';
import type {Bases} from '../link/bases.ts';

/** Node.js publishes here each answer that one of its HTTP servers has sent. */
const sentChannel = 'http.server.response.finish';

/** The bases of the shorteners that a request has reached, in order. */
const reached = new WeakMap<object, readonly Bases[]>();

/** The shorteners of this process that are open, and those that listen to the channel. */
const counts = {open: 0, listening: 0};

/**
 * Which requests reach a shortener. They are noted only while they can show a mistake, because it takes time: while the
 * process has several shorteners, and from the first link that it creates to the first link that answers.
 */
export class Reach {
  readonly #bases: Bases;
  readonly #onMissed: (request: IncomingMessage, response: ServerResponse) => void;
  #state: 'new' | 'listening' | 'done' = 'new';

  /** @param onMissed called with an answer whose request has reached no shortener */
  constructor(bases: Bases, onMissed: (request: IncomingMessage, response: ServerResponse) => void) {
    this.#bases = bases;
    this.#onMissed = onMissed;
    counts.open += 1;
  }

  /** Call this when a request has reached the shortener. Returns a base URL of another one that it has reached before. */
  note(request: object): string | undefined {
    if (counts.open === 1 && counts.listening === 0) return undefined;
    const before = reached.get(request) ?? [];
    reached.set(request, [...before, this.#bases]);
    const others = before.filter((bases) => bases !== this.#bases).flatMap(({roots}) => roots);
    return others.length === 0 ? undefined : this.#bases.roots.find((root) => others.includes(root));
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

  close(): void {
    this.stop();
    counts.open -= 1;
  }

  readonly #onSent = (message: unknown): void => {
    const {request, response} = message as {readonly request: IncomingMessage; readonly response: ServerResponse};
    if (!reached.has(request)) this.#onMissed(request, response);
  };
}
