import type {TagLinks} from '../../link/link.ts';
import {withoutCase} from './query.ts';

/** Counts links by their tags, which are found without regard to case. */
export class TagCount {
  /** How many links have each tag, by its spelling. */
  readonly #spellings = new Map<string, Map<string, number>>();
  readonly #links = new Map<string, number>();

  /** Adds the tags of one link. */
  add(tags: readonly string[]): void {
    const names = new Set<string>();
    for (const tag of tags) {
      const name = withoutCase(tag);
      names.add(name);
      const spellings = this.#spellings.get(name) ?? new Map<string, number>();
      this.#spellings.set(name, spellings.set(tag, (spellings.get(tag) ?? 0) + 1));
    }
    for (const name of names) this.#links.set(name, (this.#links.get(name) ?? 0) + 1);
  }

  /** The most used tag first, and tags of as many links by name. */
  sorted(): TagLinks[] {
    const byName = Array.from(this.#links).sort(([one], [other]) => (one < other ? -1 : 1));
    return byName
      .sort(([, one], [, other]) => other - one)
      .map(([name, links]) => ({tag: mostUsed(this.#spellings.get(name)) ?? name, links}));
  }
}

/** The first of them, if several are used as often. */
function mostUsed(spellings: ReadonlyMap<string, number> = new Map()): string | undefined {
  let most: string | undefined;
  for (const [tag, links] of spellings) if (most === undefined || links > (spellings.get(most) ?? 0)) most = tag;
  return most;
}
