/** A problem with a store, or advice about it. */
export interface Finding {
  /** `problem`: data or visits would be lost, or the site does not work. `advice`: it may become a problem. */
  readonly severity: 'problem' | 'advice';
  /** Identifies the finding for programs, in lower case with `_`. */
  readonly code: string;
  /** The finding and its effect for people, without secrets. */
  readonly message: string;
  /** How to fix it: a line for the engine, its configuration or a shell. */
  readonly remedy: string;
}

export function problem(code: string, message: string, remedy: string): Finding {
  return {severity: 'problem', code, message, remedy};
}

export function advice(code: string, message: string, remedy: string): Finding {
  return {severity: 'advice', code, message, remedy};
}

/** Compares two versions such as `8.0.36`. Text after the numbers is ignored. */
export function isAtLeast(version: string, lowest: string): boolean {
  const numbers = (text: string): number[] => (/^[\d.]+/.exec(text)?.[0] ?? '').split('.').map(Number);
  const [one, other] = [numbers(version), numbers(lowest)];
  for (const [index, part] of other.entries()) {
    const difference = (one[index] ?? 0) - part;
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/** The newest of some versions. The record of a format that was put back by hand may have anything. */
export function newest(one: unknown, other: string): string {
  return typeof one === 'string' && isAtLeast(one, other) ? one : other;
}

/**
 * How far another clock is ahead of ours, in milliseconds. Our clock is read before and after the other one.
 *
 * @param ask reads the other clock, in milliseconds since the epoch
 */
export async function offsetOf(ask: () => Promise<number>, now: () => number = () => Date.now()): Promise<number> {
  const before = now();
  const theirs = await ask();
  const after = now();
  if (theirs < before) return theirs - before;
  return Math.max(0, theirs - after);
}

/** @param incomplete as in `StoredFormat` */
export function notComplete(incomplete: string): string {
  return `The ${incomplete} into the store is not complete. Run the same command again until it succeeds.`;
}
