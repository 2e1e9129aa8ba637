import type {Counters, KeyKind, ToolStore} from '../store/port.ts';
import {type Content, readContent, unequalKeys} from './content.ts';
import {ToolError} from './tool-error.ts';

/** How often something that does not stay as it was written is written. */
const maxTries = 5;

/** Makes a store what another one is. Doing it again changes nothing. */
export class Transfer {
  readonly #target: ToolStore;
  readonly #mayLower: boolean;
  /** Records and sets of counters. */
  written = 0;
  removed = 0;

  /** @param mayLower whether a counter may be higher in the target than it is to be */
  constructor(target: ToolStore, mayLower: boolean) {
    this.#target = target;
    this.#mayLower = mayLower;
  }

  /**
   * Puts the content in place of what stands under its keys.
   *
   * @throws ToolError `target_in_use` if a counter is higher in the target, and may not be
   */
  put<Kind extends KeyKind>(kind: Kind, content: Content<Kind>): Promise<void> {
    return kind === 'records' ? this.#putRecords(content) : this.#putCounters(content as Content<'counters'>);
  }

  /** Puts what is not there, and looks at it again. */
  async putSurely<Kind extends KeyKind>(kind: Kind, content: Content<Kind>): Promise<void> {
    await this.put(kind, content);
    const present = await readContent(this.#target, kind, content.keys());
    if (unequalKeys(content, present).length > 0) throw notKept();
  }

  async remove(kind: KeyKind, keys: readonly string[]): Promise<void> {
    await Promise.all(
      keys.map((key) => (kind === 'records' ? this.#target.remove(key) : this.#target.removeCounters(key))),
    );
    this.removed += keys.length;
  }

  async #putRecords(content: Content<'records'>): Promise<void> {
    let rest = Array.from(content);
    for (let tries = 0; rest.length > 0; tries += 1) {
      if (tries === maxTries) throw notKept();
      const inserted = await this.#target.insertMany(rest);
      this.written += inserted.filter(Boolean).length;
      rest = rest.filter((_, index) => inserted[index] !== true);
      const left = await this.#replace(new Map(rest));
      rest = rest.filter(([key]) => left.has(key));
    }
  }

  /** Gives the keys of those that could not be replaced. */
  async #replace(wanted: Content<'records'>): Promise<Set<string>> {
    const keys = Array.from(wanted.keys());
    const entries = await this.#target.getMany(keys);
    const found = new Map(keys.map((key, index) => [key, entries[index]]));
    const present = new Map(keys.map((key) => [key, found.get(key)?.value]));
    const left = new Set<string>();
    const replace = async (key: string): Promise<void> => {
      const entry = found.get(key);
      // There is a record, but it cannot be read.
      if (entry === undefined) await this.#target.remove(key);
      else if (await this.#target.replace(key, entry.revision, wanted.get(key))) {
        this.written += 1;
        return;
      }
      left.add(key);
    };
    await Promise.all(unequalKeys(wanted, present).map(replace));
    return left;
  }

  async #putCounters(content: Content<'counters'>): Promise<void> {
    const present = await readContent(this.#target, 'counters', content.keys());
    const rows: Array<readonly [key: string, counters: Counters]> = [];
    const outdated: Array<readonly [key: string, names: string[]]> = [];
    for (const key of unequalKeys(content, present)) {
      const wanted = content.get(key);
      if (wanted === undefined) continue;
      rows.push([key, wanted]);
      const names = [];
      for (const [name, count] of present.get(key)?.counts ?? []) {
        const wantedCount = wanted.counts.get(name);
        if (wantedCount === undefined) names.push(name);
        else if (wantedCount < count && !this.#mayLower) throw inUse();
      }
      if (names.length > 0) outdated.push([key, names]);
    }
    await this.#target.setCounters(rows);
    await Promise.all(outdated.map(([key, names]) => this.#target.removeCounters(key, names)));
    this.written += rows.length;
  }
}

function notKept(): ToolError {
  return new ToolError('not_verified', 'The target does not keep what is written into it');
}

function inUse(): ToolError {
  return new ToolError(
    'target_in_use',
    'The target has been in use since the last copy: some of its counters are higher than in the source. ' +
      'Copy in the other direction, or say that what is newer in the target may be overwritten',
  );
}
