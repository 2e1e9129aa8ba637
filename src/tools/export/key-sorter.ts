import {createReadStream} from 'node:fs';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

/** The maximum number of keys that are sorted in memory, about 30 MB. */
const defaultRun = 200_000;

/** Keys in one part of the result. */
const keysAtOnce = 500;

/** The position in a sorted run. */
interface Head {
  readonly rest: AsyncIterator<readonly string[]>;
  keys: readonly string[];
  index: number;
}

/**
 * Sorts any number of keys in bounded memory, by the codes of their characters, and drops keys that were added twice.
 * Beyond the first run, keys are kept in a temporary folder that only this user can read.
 */
export class KeySorter {
  readonly #runLength: number;
  readonly #files: string[] = [];
  #keys: string[] = [];
  #folder: string | undefined;

  /** @param runLength how many keys to sort in memory */
  constructor(runLength = defaultRun) {
    this.#runLength = runLength;
  }

  async add(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.#keys.push(key);
    if (this.#keys.length >= this.#runLength) await this.#store();
  }

  /** All keys, in parts. Call it once, after the last `add`. */
  async *sorted(): AsyncGenerator<readonly string[]> {
    const last = this.#keys.sort();
    if (this.#files.length === 0) {
      yield* partsOf(distinct(last));
      return;
    }
    const runs = this.#files.map((file) => linesOf(file));
    yield* merge([...runs, partsOf(last)]);
  }

  /** Removes the temporary files. */
  async dispose(): Promise<void> {
    if (this.#folder !== undefined) await rm(this.#folder, {recursive: true, force: true});
  }

  async #store(): Promise<void> {
    this.#folder ??= await mkdtemp(join(tmpdir(), 'koa-short-url-keys-'));
    const file = join(this.#folder, String(this.#files.length));
    const keys = this.#keys.sort();
    this.#keys = [];
    // Keys are printable ASCII, so a line feed can end each of them.
    await writeFile(file, keys.join('\n'), {encoding: 'latin1', mode: 0o600});
    this.#files.push(file);
  }
}

async function* merge(runs: ReadonlyArray<AsyncGenerator<readonly string[]>>): AsyncGenerator<readonly string[]> {
  let heads: Head[] = [];
  try {
    for (const rest of runs) heads.push({rest, keys: [], index: 0});
    for (const head of heads) await advance(head);
    let part: string[] = [];
    let last: string | undefined;
    for (heads = heads.filter(hasKey); heads.length > 0;) {
      const head = heads.reduce((one, other) => (keyOf(other) < keyOf(one) ? other : one));
      const key = keyOf(head);
      if (key !== last) part.push(key);
      last = key;
      head.index += 1;
      if (head.index === head.keys.length) {
        await advance(head);
        heads = heads.filter(hasKey);
      }
      if (part.length === keysAtOnce) {
        yield part;
        part = [];
      }
    }
    if (part.length > 0) yield part;
  } finally {
    // Close files that were not read to their end.
    await Promise.all(runs.map((run) => run.return(undefined)));
  }
}

async function advance(head: Head): Promise<void> {
  const next: IteratorResult<readonly string[], unknown> = await head.rest.next();
  head.keys = next.done === true ? [] : next.value;
  head.index = 0;
}

const hasKey = ({keys}: Head): boolean => keys.length > 0;
const keyOf = ({keys, index}: Head): string => keys[index] ?? '';

async function* linesOf(file: string): AsyncGenerator<readonly string[]> {
  let rest = '';
  for await (const chunk of createReadStream(file, {encoding: 'latin1'})) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    if (lines.length > 0) yield lines;
  }
  yield [rest];
}

async function* partsOf(keys: readonly string[]): AsyncGenerator<readonly string[]> {
  for (let start = 0; start < keys.length; start += keysAtOnce) yield keys.slice(start, start + keysAtOnce);
}

function distinct(sorted: readonly string[]): string[] {
  return sorted.filter((key, index) => key !== sorted[index - 1]);
}
