import type {Context} from 'koa';
import type {Announcer} from '../announcer.ts';
import {inTime, isThenable} from '../callback.ts';
import {ShortUrlError} from '../errors.ts';
import {type Details, direct} from '../links/detail-values.ts';
import {parseUrl} from '../links/parse-url.ts';

export type ReadDetails = (ctx: Context) => Details | Promise<Details>;

/** Names that a site may use in all: each has values of its own in the store. */
const maxNames = 8;

/** In characters. */
const maxValue = 64;

/** What a value is made of that needs no second look. */
const plainValue = /^[ -~]{1,64}$/;

/** What neither a page nor an XML document can carry: control characters, lone surrogates, U+FFFE and U+FFFF. */
const unfit = /[\p{Control}\p{Surrogate}\uFFFE\uFFFF]/gu;

/** A `Referer` as browsers write it, and the host name in it, which is quicker than to parse the URL. */
const usualReferer = /^https?:\/\/([a-z\d.-]{1,64})(?::\d+)?(?:[/?#]|$)/;

/** The host name of the `Referer`, or `direct` where there is none. */
export function referrerOf({req}: Context): {referrer: string} {
  const {referer} = req.headers;
  if (referer === undefined) return {referrer: direct};
  const name = usualReferer.exec(referer)?.[1] ?? fitting(parseUrl(referer)?.hostname ?? '');
  return {referrer: name === '' ? direct : name};
}

/** Asks the host what is counted of a visit besides, and lets pass only what is in order. */
export class VisitDetails {
  readonly #read: ReadDetails;
  readonly #announcer: Pick<Announcer, 'reportIn'>;
  readonly #names = new Set<string>();

  constructor(read: ReadDetails, announcer: Pick<Announcer, 'reportIn'>) {
    this.#read = read;
    this.#announcer = announcer;
  }

  /** Never fails: what is wrong is reported and left out. */
  read(ctx: Context): Details | Promise<Details> {
    const fail = (cause: unknown): Details => {
      this.#tell("The host's `visitDetails` failed; the visit was counted without details.", cause, ctx);
      return {};
    };
    try {
      const read = this.#read(ctx);
      // Our own is in order.
      if (this.#read === referrerOf) return read;
      if (!isThenable(read)) return this.#clean(read, ctx);
      return Promise.resolve(inTime(read))
        .then((values) => this.#clean(values, ctx))
        .catch(fail);
    } catch (cause) {
      return fail(cause);
    }
  }

  #clean(values: unknown, ctx: Context): Details {
    if (typeof values !== 'object' || values === null || Array.isArray(values)) {
      throw new TypeError('Expected an object whose properties are the names and values of details');
    }
    const details: Array<[string, string]> = [];
    for (const [name, value] of Object.entries(values) as Array<[string, unknown]>) {
      const fault = this.#faultOf(name, value);
      if (fault === undefined) {
        const text = value === undefined ? '' : fitting(value as string);
        if (text !== '') details.push([name, text]);
      } else {
        const message =
          "The host's `visitDetails` gave something that is not in order; the visit was counted without it.";
        this.#tell(message, new TypeError(fault), ctx);
      }
    }
    return Object.fromEntries(details);
  }

  /** Values are not repeated: they may be what must not be told. */
  #faultOf(name: string, value: unknown): string | undefined {
    if (value !== undefined && typeof value !== 'string') {
      return `Expected the value of each detail to be a string, got a ${typeof value}`;
    }
    if (this.#names.has(name)) return undefined;
    if (!/^[a-z\d_]{1,32}$/.test(name)) return 'Expected the name of each detail to be 1 to 32 of a-z 0-9 _';
    if (this.#names.size >= maxNames) return `Expected at most ${maxNames} names of details in all`;
    this.#names.add(name);
    return undefined;
  }

  #tell(message: string, cause: unknown, ctx: Context): void {
    this.#announcer.reportIn(ctx, new ShortUrlError('internal_error', message, {cause}));
  }
}

/** A value as it is counted: without what cannot be shown, and cut off. */
function fitting(value: string): string {
  if (plainValue.test(value)) return value;
  const text = value.replace(unfit, '');
  return text.length <= maxValue ? text : Array.from(text).slice(0, maxValue).join('');
}
