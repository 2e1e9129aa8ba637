/** Describes a value for an error message. Never repeats a string, because it may be a secret. */
export function describe(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  if (typeof value === 'string') return value === '' ? 'an empty string' : `a string of ${value.length} characters`;
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** ` Did you mean …?` if the name differs from a known one by at most two edits, otherwise an empty string. */
export function didYouMean(name: string, known: readonly string[]): string {
  const distances = known.map((other) => distance(name.toLowerCase(), other.toLowerCase()));
  const nearest = Math.min(...distances);
  return nearest > maxDistance ? '' : ` Did you mean \`${String(known[distances.indexOf(nearest)])}\`?`;
}

const maxDistance = 2;

/** The Levenshtein distance. */
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
