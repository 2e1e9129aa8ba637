import {setImmediate} from 'node:timers/promises';
import {ShortUrlError, toShortUrlError} from '../../host/errors.ts';
import type {Bases} from '../bases.ts';
import type {CreateLink, CreateResult, Link} from '../link.ts';

/** Creates that run at once: enough to share round trips and commits, few enough to fit in memory. */
const maxUnderWay = 50;

/** Creates that are started before the event loop gets a turn. */
const startedAtOnce = 10;

export interface CreateManyDependencies {
  readonly create: (input: CreateLink) => Promise<Link>;
  readonly bases: Pick<Bases, 'parseShortUrl'>;
}

/** A create that has been started. */
interface Started {
  /** The short parts on which its outcome depends. Creates that share one run in order. */
  readonly slugs: readonly string[];
  /** Never rejects. */
  readonly result: Promise<CreateResult>;
}

/**
 * Creates many links, up to 50 at once, and yields the results in the order of the inputs. An input is read only when
 * its creation can start, so a consumer that pauses pauses the reading too. A consumer that stops early waits for the
 * creates that are running.
 *
 * @throws the error of reading the inputs, after the results of the inputs before it; ShortUrlError
 *   `malformed_parameter` if the inputs are not iterable
 */
export async function* createMany(
  {create, bases}: CreateManyDependencies,
  inputs: Iterable<CreateLink> | AsyncIterable<CreateLink>,
): AsyncGenerator<CreateResult> {
  const source = new Source(inputs);
  const underWay: Started[] = [];
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
        underWay.push(await start(create, bases, read.value, underWay));
        started += 1;
        // A store within the process answers without a pause, so many creates would block other requests.
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

/** Starts a create after earlier ones that share a short part have ended, so that the first in order gets it. */
async function start(
  create: CreateManyDependencies['create'],
  bases: CreateManyDependencies['bases'],
  input: unknown,
  underWay: readonly Started[],
): Promise<Started> {
  try {
    // The caller may reuse the same object for the next link.
    const link = (typeof input === 'object' && input !== null ? {...input} : input) as CreateLink;
    const slugs = slugsOf(link, bases);
    const earlier = underWay.filter((other) => other.slugs.some((slug) => slugs.includes(slug)));
    await Promise.all(earlier.map(({result}) => result));
    return {slugs, result: create(link).then((created) => ({link: created}), failed)};
  } catch (error) {
    return {slugs: [], result: Promise.resolve(failed(error))};
  }
}

/** The short part that the link asks for, and the one in its destination. */
function slugsOf(link: unknown, bases: CreateManyDependencies['bases']): string[] {
  const {customUrl, url} = (link ?? {}) as {readonly customUrl?: unknown; readonly url?: unknown};
  const destination = typeof url === 'string' ? bases.parseShortUrl(url)?.slug : undefined;
  return [customUrl, destination].filter((slug) => typeof slug === 'string');
}

function failed(error: unknown): CreateResult {
  return {error: toShortUrlError(error)};
}

function nothing(): undefined {
  return undefined;
}

/** Reads the inputs one by one. */
class Source {
  /** Whether there is nothing more to read. */
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

  /** Throws the error of reading, if there was one. */
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
  const many = (inputs ?? {}) as Partial<AsyncIterable<unknown> & Iterable<unknown>>;
  const iterator = many[Symbol.asyncIterator]?.() ?? many[Symbol.iterator]?.();
  if (iterator !== undefined) return iterator;
  throw new ShortUrlError('malformed_parameter', 'Expected the links to create as an iterable or an async iterable.');
}
