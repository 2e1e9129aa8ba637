import type {Scope} from '../timeline.ts';

/** A step of a command, which waits to touch a key of the server. */
export interface Touch {
  /** The same in every schedule in which its process has received the same answers. */
  readonly id: string;
  readonly process: string;
  readonly server: object;
  /** What it reads or changes; undefined for everything. */
  readonly keys: readonly string[] | undefined;
  readonly isWrite: boolean;
  /** How many steps had been taken when its command was sent. */
  readonly sent: number;
}

/** Thrown inside a run that does nothing new. */
export class Abandoned extends Error {}

/** Whether the order of two steps can matter to the server. */
export function areDependent(one: Touch, other: Touch): boolean {
  if (one.server !== other.server || (!one.isWrite && !other.isWrite)) return false;
  return one.keys === undefined || other.keys === undefined || one.keys.some((key) => other.keys?.includes(key));
}

/**
 * Decides the order in which commands reach the server. While it is open, no command takes time: when nothing else is
 * due, `choose` picks the next of those that wait.
 */
export class Schedule {
  isOpen = false;
  /** Whether the server draws the random numbers of the process, which then do not depend on the number of its commands. */
  isInProcess = false;
  readonly #choose: (waiting: readonly Touch[]) => Touch;
  readonly #waiting = new Map<Touch, {readonly scope: Scope; readonly run: () => void}>();
  readonly #names = new Map<string, number>();
  #taken = 0;

  constructor(choose: (waiting: readonly Touch[]) => Touch) {
    this.#choose = choose;
  }

  /** @param name what the step does, without its process */
  add(name: string, touch: Omit<Touch, 'id' | 'sent'>, scope: Scope, run: () => void): void {
    const place = `${touch.process} ${name}`;
    const number = (this.#names.get(place) ?? 0) + 1;
    this.#names.set(place, number);
    this.#waiting.set({...touch, id: number === 1 ? place : `${place} (${number})`, sent: this.#taken}, {scope, run});
  }

  /** The next step; undefined if none waits. */
  readonly next = (): {readonly scope: Scope; readonly run: () => void} | undefined => {
    if (this.#waiting.size === 0) return undefined;
    const touch = this.#choose(Array.from(this.#waiting.keys()));
    const chosen = this.#waiting.get(touch);
    this.#waiting.delete(touch);
    this.#taken += 1;
    return chosen;
  };
}
