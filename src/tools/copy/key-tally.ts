import {isShortLived} from '../../keys.ts';
import type {KeyKind} from '../../store/port.ts';

/** Counts keys and sums their digests, so that two sets of keys can be compared without keeping them. */
export class KeyTally {
  count = 0;
  sum = 0;
  /** Records that expire may be gone at the next reading, so they are counted apart, and not compared. */
  shortLived = 0;

  get total(): number {
    return this.count + this.shortLived;
  }

  add(keys: Iterable<string>): void {
    for (const key of keys) {
      if (isShortLived(key)) {
        this.shortLived += 1;
        continue;
      }
      this.count += 1;
      this.sum = (this.sum + digest(key)) % modulus;
    }
  }

  equals(other: KeyTally): boolean {
    return this.count === other.count && this.sum === other.sum;
  }
}

const modulus = 2 ** 52;

/** 52 bits of a digest. That is enough, because nobody chooses keys so that the sums agree. */
function digest(key: string): number {
  let high = 0x811c9dc5;
  let low = 0x9e3779b9;
  for (let index = 0; index < key.length; index += 1) {
    high = Math.imul(high ^ key.charCodeAt(index), 0x01000193);
    low = Math.imul(low ^ key.charCodeAt(index), 0x85ebca6b);
  }
  return ((high ^ (low >>> 15)) >>> 12) * 2 ** 32 + ((low ^ (high >>> 13)) >>> 0);
}

export type KeyTallies = Record<KeyKind, KeyTally>;

export function newTallies(): KeyTallies {
  return {records: new KeyTally(), counters: new KeyTally()};
}

/** Replaces a tally when a listing begins again. Work that is under way still adds to the old one. */
export function renewTally(tallies: KeyTallies, kind: KeyKind): () => void {
  return () => {
    tallies[kind] = new KeyTally();
  };
}
