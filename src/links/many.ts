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
  const iterator = iteratorOf(inputs);
  const source = {isOver: false, isReading: false, failure: undefined as {readonly error: unknown} | undefined};
  const readNext = async (): Promise<{readonly value: unknown} | undefined> => {
    source.isReading = true;
    try {
      const result = await iterator.next();
      if (result.done !== true) return {value: result.value};
    } catch (error) {
      source.failure = {error};
    } finally {
      source.isReading = false;
    }
    source.isOver = true;
    return undefined;
  };
  let reading: ReturnType<typeof readNext> | undefined;
  const underWay: Array<Started<Made>> = [];
  let started = 0;
  try {
    for (;;) {
      while (underWay.length < maxUnderWay && !source.isOver) {
        reading ??= readNext();
        // A finished result does not wait for a slow input.
        const read = await Promise.race([reading, ...underWay.slice(0, 1).map(({result}) => result.then(nothing))]);
        if (read === undefined) break;
        reading = undefined;
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
    if (source.failure) throw source.failure.error;
  } finally {
    await Promise.all(underWay.map(({result}) => result));
    if (!source.isOver) {
      source.isOver = true;
      const stopped = (async () => iterator.return?.())();
      // A read in progress may never end.
      if (source.isReading) stopped.catch(nothing);
      else await stopped;
    }
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

function iteratorOf(inputs: unknown): Iterator<unknown> | AsyncIterator<unknown> {
  const many = (inputs ?? {}) as Readonly<Record<symbol, unknown>>;
  const open = many[Symbol.asyncIterator] ?? many[Symbol.iterator];
  if (typeof open === 'function') return open.call(many) as Iterator<unknown> | AsyncIterator<unknown>;
  throw malformed('Expected an iterable or an async iterable of links or changes.');
}
