const maxItems = 5;

/**
 * Describes a value for an error message. Never repeats a string, because it may be a secret.
 *
 * @param isSecret whether a number may be a secret too
 */
export function describe(value: unknown, isSecret = false): string {
  if (typeof value === 'number' && isSecret) return 'a number';
  if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  if (typeof value === 'string') return value === '' ? 'an empty string' : `a string of ${value.length} characters`;
  if (Array.isArray(value)) {
    if (value.length === 0) return 'an empty array';
    const items = value.slice(0, maxItems).map((item) => (Array.isArray(item) ? 'an array' : describe(item, isSecret)));
    return `an array of ${items.join(', ')}${value.length > maxItems ? ', …' : ''}`;
  }
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** @returns whether a value is an integer in the bounds, which are included */
export function isInteger(value: unknown, min: number, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

/** ` Did you mean …?` if the name differs from a known one by at most two edits, otherwise an empty string. */
export function didYouMean(name: string, known: readonly string[]): string {
  const distances = known.map((other) => distance(name.toLowerCase(), other.toLowerCase()));
  const nearest = Math.min(...distances);
  return nearest > maxDistance ? '' : ` Did you mean \`${String(known[distances.indexOf(nearest)])}\`?`;
}

const maxDistance = 2;

function distance(from: string, to: string): number {
  let row = Array.from({length: to.length + 1}, (_, index) => index);
  for (const [i, character] of Array.from(from).entries()) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j += 1) {
      const replaced = Number(row[j]) + (character === to[j] ? 0 : 1);
      next.push(Math.min(replaced, Number(row[j + 1]) + 1, Number(next[j]) + 1));
    }
    row = next;
  }
  return Number(row[to.length]);
}

/** A number for people: `1,000,000`. */
export function grouped(number: number, separator = ','): string {
  return String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, separator);
}

/** `a, b or c` */
export function enumerated(names: readonly string[], word: 'or' | 'and'): string {
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((each) => each !== '').join(` ${word} `);
}
