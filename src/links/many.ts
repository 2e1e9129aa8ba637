import {setImmediate} from 'node:timers/promises';
import {type ShortUrlError, toShortUrlError} from '../errors.ts';
import type {Bases} from '../link/bases.ts';
import {urlsIn} from '../link/urls.ts';
import type {ManyResult} from '../link/link.ts';
import {isObject} from '../values/describe.ts';
import {malformed} from '../values/input.ts';

/** Calls that run at once: enough to share round trips and commits, few enough to fit in memory. */
const maxUnderWay = 50;

/** Calls that are started before the event loop gets a turn. */
const startedAtOnce = 10;

export interface ManyDependencies<Input, Made> {
  readonly run: (input: Input, index: number) => Promise<Made>;
  readonly bases: Pick<Bases, 'parseShortUrl' | 'shortParts'>;
}

interface Started<Made> {
  /** The short parts and references on which its outcome depends. Calls that share one run in order. */
  readonly names: readonly string[];
  /** Never rejects. */
  readonly result: Promise<ManyResult<Made>>;
}

/**
 * Creates or changes many links, a bounded number at once, and yields the results in the order of the inputs. An input is read
 * only when its call can start, so a consumer that pauses pauses the reading too. A consumer that stops early waits for
 * the calls that are running.
 *
 * @throws the error of reading the inputs, after the results of the inputs before it; ShortUrlError
 *   `malformed_parameter` if the inputs are not iterable
 */
export async function* runMany<Input, Made>(
  {run, bases}: ManyDependencies<Input, Made>,
  inputs: Iterable<Input> | AsyncIterable<Input>,
): AsyncGenerator<ManyResult<Made>> {
  const source = new Source(inputs);
  const underWay: Array<Started<Made>> = [];
  let started = 0;
  try {
    for (;;) {
      while (underWay.length < maxUnderWay && !source.isOver) {
        // A finished result does not wait for a slow input.
        const read = await Promise.race([
          source.next(),
          ...underWay.slice(0, 1).map(({result}) => result.then(nothing)),
        ]);
        if (read === undefined) break;
        source.take();
        const index = started;
        underWay.push(await start((input) => run(input as Input, index), bases, read.value, underWay));
        started += 1;
        // A store within the process answers without a pause, so many calls would block other requests.
        if (started % startedAtOnce === 0) await setImmediate();
      }
      const first = underWay.shift();
      if (first === undefined) break;
      yield await first.result;
    }
    source.check();
  } finally {
    await Promise.all(underWay.map(({result}) => result));
    await source.stop();
  }
}

/** Starts a call after earlier ones that share a name have ended, so that they take effect in order. */
async function start<Made>(
  run: (input: unknown) => Promise<Made>,
  bases: Pick<Bases, 'parseShortUrl' | 'shortParts'>,
  given: unknown,
  underWay: ReadonlyArray<Started<Made>>,
): Promise<Started<Made>> {
  try {
    // The caller may reuse the same object for the next link.
    const input = copyOf(given);
    const names = namesOf(input, bases);
    const earlier = underWay.filter((other) => other.names.some((name) => names.includes(name)));
    await Promise.all(earlier.map(({result}) => result));
    return {names, result: run(input).then((link) => ({link}), failed)};
  } catch (error) {
    return {names: [], result: Promise.resolve(failed(error))};
  }
}

function copyOf(given: unknown): unknown {
  if (!isObject(given)) return given;
  const {changes} = given;
  return isObject(changes) ? {...given, changes: {...changes}} : {...given};
}

/** The short parts that a creation asks for or a change names, and those in the destinations; and its reference. */
function namesOf(input: unknown, bases: Pick<Bases, 'parseShortUrl' | 'shortParts'>): string[] {
  const {customUrl, shortUrl, changes, ...link} = isObject(input) ? input : {};
  const ofFields = [link, isObject(changes) ? changes : {}].flatMap((each) => urlsIn(each).map(([url]) => url));
  const urls = [shortUrl, ...ofFields];
  const named = urls.map((each) => (typeof each === 'string' ? bases.parseShortUrl(each)?.slug : undefined));
  const chosen = typeof customUrl === 'string' ? bases.shortParts.read(customUrl) : undefined;
  const reference = typeof link['reference'] === 'string' ? `reference ${link['reference']}` : undefined;
  // A change may give a link the reference that another one takes away, which is not in the input.
  const moved = isObject(changes) && changes['reference'] !== undefined ? 'any reference' : undefined;
  return [chosen, ...named, reference, moved].filter((name) => typeof name === 'string');
}

function failed(error: unknown): {readonly error: ShortUrlError} {
  return {error: toShortUrlError(error)};
}

function nothing(): undefined {
  return undefined;
}

class Source {
  isOver = false;
  readonly #iterator: Iterator<unknown> | AsyncIterator<unknown>;
  #read: Promise<{readonly value: unknown} | undefined> | undefined;
  #isReading = false;
  #failure: {readonly error: unknown} | undefined;

  constructor(inputs: unknown) {
    this.#iterator = iteratorOf(inputs);
  }

  /** The next input, the same one until it is taken; undefined at the end and after an error. Never rejects. */
  next(): Promise<{readonly value: unknown} | undefined> {
    return (this.#read ??= this.#readNext());
  }

  take(): void {
    this.#read = undefined;
  }

  check(): void {
    if (this.#failure) throw this.#failure.error;
  }

  /** Closes the inputs before their end. It does not wait for a read in progress, which may never end. */
  async stop(): Promise<void> {
    if (this.isOver) return;
    this.isOver = true;
    const stopped = (async () => this.#iterator.return?.())();
    if (this.#isReading) stopped.catch(nothing);
    else await stopped;
  }

  async #readNext(): Promise<{readonly value: unknown} | undefined> {
    this.#isReading = true;
    try {
      const result = await this.#iterator.next();
      if (result.done !== true) return {value: result.value};
    } catch (error) {
      this.#failure = {error};
    } finally {
      this.#isReading = false;
    }
    this.isOver = true;
    return undefined;
  }
}

function iteratorOf(inputs: unknown): Iterator<unknown> | AsyncIterator<unknown> {
  const many = (inputs ?? {}) as Readonly<Record<symbol, unknown>>;
  const open = many[Symbol.asyncIterator] ?? many[Symbol.iterator];
  if (typeof open === 'function') return open.call(many) as Iterator<unknown> | AsyncIterator<unknown>;
  throw malformed('Expected an iterable or an async iterable of links or changes.');
}
