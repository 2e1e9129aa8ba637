import {isShortLived} from '../../keys.ts';
import type {Counters, KeyKind, ToolStore} from '../../store/port.ts';
import {type Content, readContent, unequalKeys} from './content.ts';
import {ToolError} from '../tool-error.ts';

/** How often a value is written again that changes after it was written. */
const maxTries = 5;

/** Writes the content of one store into another. Writing it again changes nothing. */
export class Transfer {
  readonly #target: ToolStore;
  readonly #mayLower: boolean;
  /** If the target was empty, nothing needs to be read before writing. */
  #isEmpty: boolean;
  /** Records and sets of counters. */
  written = 0;
  removed = 0;

  /**
   * @param mayLower whether a counter of the target may be lowered
   * @param isEmpty whether the target is empty
   */
  constructor(target: ToolStore, {mayLower, isEmpty}: {readonly mayLower: boolean; readonly isEmpty: boolean}) {
    this.#target = target;
    this.#mayLower = mayLower;
    this.#isEmpty = isEmpty;
  }

  /**
   * Replaces the content of keys.
   *
   * @throws ToolError `target_in_use` if a counter is higher in the target and may not be lowered
   */
  put<Kind extends KeyKind>(kind: Kind, content: Content<Kind>): Promise<void> {
    return kind === 'records'
      ? this.#putRecords(content as Content<'records'>)
      : this.#putCounters(content as Content<'counters'>);
  }

  /** Writes missing content and verifies it. */
  async putSurely<Kind extends KeyKind>(kind: Kind, content: Content<Kind>): Promise<void> {
    this.#isEmpty = false;
    await this.put(kind, content);
    const present = await readContent(this.#target, kind, content.keys());
    // A record that expires may have done so meanwhile.
    const lost = unequalKeys(content, present).filter((key) => present.has(key) || !isShortLived(key));
    if (lost.length > 0) throw notKept();
  }

  async remove(kind: KeyKind, keys: readonly string[]): Promise<void> {
    await Promise.all(
      keys.map((key) => (kind === 'records' ? this.#target.remove(key) : this.#target.removeCounters(key))),
    );
    this.removed += keys.length;
  }

  async #present<Kind extends KeyKind>(kind: Kind, keys: Iterable<string>): Promise<Content<Kind>> {
    return this.#isEmpty ? new Map() : readContent(this.#target, kind, keys);
  }

  async #putRecords(content: Content<'records'>): Promise<void> {
    let rest: Content<'records'> = content;
    for (let tries = 0; rest.size > 0; tries += 1) {
      if (tries === maxTries) throw notKept();
      const present = await this.#present('records', rest.keys());
      const unequal = new Map(unequalKeys(rest, present).map((key) => [key, rest.get(key) ?? '']));
      const put = await this.#insertOrReplace(unequal, present, tries > 0);
      this.written += put.size;
      this.#isEmpty &&= put.size === rest.size;
      rest = new Map(Array.from(unequal).filter(([key]) => !put.has(key)));
    }
  }

  /**
   * @param mayRemove whether to clear a key that reads as empty but refuses an insert, because its record cannot be
   *   parsed
   * @returns the keys that were written
   */
  async #insertOrReplace(
    wanted: Content<'records'>,
    present: Content<'records'>,
    mayRemove: boolean,
  ): Promise<Set<string>> {
    const absent = Array.from(wanted).filter(([key]) => !present.has(key));
    const inserted = await this.#target.insertTexts(absent);
    const put = new Set(absent.filter((_, index) => inserted[index]).map(([key]) => key));
    const replace = async ([key, text]: readonly [string, string]): Promise<void> => {
      const expected = present.get(key);
      if (expected === undefined) {
        if (mayRemove && !put.has(key)) await this.#target.remove(key);
      } else if (await this.#target.replaceText(key, expected, text)) put.add(key);
    };
    await Promise.all(Array.from(wanted, replace));
    return put;
  }

  async #putCounters(content: Content<'counters'>): Promise<void> {
    const present = await this.#present('counters', content.keys());
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
  return new ToolError('not_verified', 'The target does not keep what was written to it');
}

function inUse(): ToolError {
  return new ToolError(
    'target_in_use',
    'The target was used after the last copy: some of its counters are higher than in the source. ' +
      'Copy in the other direction, or overwrite the target',
  );
}
