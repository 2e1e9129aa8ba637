import {setMaxListeners} from 'node:events';
import {setImmediate} from 'node:timers/promises';
import type {LinkName} from '../../link/bases.ts';
import {visitsCounter} from '../../link/counters.ts';
import {readStartDate} from '../../link/dates.ts';
import type {Link} from '../../link/link.ts';
import {isActive, type LinkRecord} from '../../link/record.ts';
import {linkCounters, linkRecords} from '../../link/records.ts';
import {inTime} from '../../values/callback.ts';
import {readAs, reader, readOptions, refuse} from '../../values/input.ts';
import {integer, moment} from '../../values/shape.ts';
import type {OwnedLink} from '../read/listed-links.ts';
import {formatCursor, positionIn} from '../read/cursor.ts';
import {siteList} from '../read/link-index.ts';
import {readList} from '../read/list.ts';
import {showLinks, type ShowingServices} from '../read/shown-links.ts';
import type {LinkServices} from '../services.ts';
import {
  type Applied,
  applyVerdict,
  type CheckResult,
  type CheckVerdict,
  readVerdict,
  type Verdict,
  type VerdictServices,
} from './verdict.ts';

/** How long a check may take, in milliseconds. */
const checkTimeout = 30_000;

const usualConcurrency = 5;

const cursorName = 'recheck';

/** Which links `admin.recheck` checks, and how many at once. */
export interface RecheckOptions {
  /** Only links that were visited since then. By default all active links. */
  readonly since?: Date | string | undefined;
  /**
   * How many checks run at once: 1 to 50.
   * @default 5
   */
  readonly concurrency?: number | undefined;
  /** The `cursor` of the last result of a run that has ended early, to go on behind it. */
  readonly cursor?: string | undefined;
}

/** A check of a link by the host. It may take 30 seconds. */
export type CheckLink = (link: Link, account: string) => CheckVerdict | Promise<CheckVerdict>;

interface Progress {
  /** Which part of the site's links is done, from 0 to 1. */
  readonly progress: number;
  /** Pass it as `cursor` to go on later. All links before it are done. */
  readonly cursor: string;
}

/** A link that was checked, as it is after the check. */
export type Rechecked = OwnedLink &
  Progress &
  (
    | {
        /** `changed`: the link was changed or removed while its check ran, so the result says nothing of it. */
        readonly result: CheckResult | 'changed';
        readonly error?: undefined;
      }
    | {
        /** What the check has thrown, or why its result is none. The link was not changed. */
        readonly error: unknown;
        readonly result?: undefined;
      }
  );

export interface RecheckServices extends VerdictServices, ShowingServices, Pick<LinkServices, 'calendar'> {
  /** Aborted when the shortener is closed. */
  readonly closing: AbortSignal;
}

type Checked = {readonly account: string} & (Applied | {readonly link: Link; readonly error: unknown});

/** A link that is to be checked. Its record is read when its turn comes. */
interface Candidate {
  readonly name: LinkName;
  readonly position: number;
}

/**
 * Checks the active links of the site, the oldest first, and yields them as their checks end. A consumer that pauses pauses
 * the checks, and one that stops ends those that run, whose results are ignored.
 *
 * @throws ShortUrlError `malformed_parameter`, `unknown_parameter` or `store_unavailable`
 */
export async function* recheck(
  services: RecheckServices,
  ask: CheckLink,
  options: RecheckOptions = {},
): AsyncGenerator<Rechecked> {
  const {store, calendar, now, closing} = services;
  const {
    since,
    concurrency = usualConcurrency,
    cursor: after = 0,
  } = readOptions(options, 'Links are checked with', {
    since: readAs(moment, (value) => readStartDate(value, calendar, 'moment of the last visit')),
    concurrency: reader(integer(1, 50), 'concurrency'),
    cursor: (cursor) => positionIn(cursor, cursorName) ?? refuse('The cursor must be one of an earlier run.'),
  });
  if (typeof (ask as unknown) !== 'function') refuse('Pass a function that checks a link.');

  const toCandidates = async (records: LinkRecord[]): Promise<Candidate[]> => {
    const active = records.filter((record) => isActive(record, now()));
    const counters = since === undefined ? [] : await linkCounters.in(store).getMany(active, [visitsCounter]);
    const wanted = since === undefined ? active : active.filter((_, index) => (counters[index]?.at ?? 0) >= since);
    return wanted.map(({domain, slug, ...rest}) => ({
      name: {domain, slug},
      position: siteList.positionOf({domain, slug, ...rest}),
    }));
  };

  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const end = (): void => {
    stop.abort(new Error('The check was given up'));
  };
  closing.addEventListener('abort', end);
  try {
    const [last = 0] = await store.current([siteList.sequence]);
    let reached = after;
    const running = new Map<number, Promise<{readonly position: number; readonly checked: Checked | undefined}>>();
    const start = ({name, position}: Candidate): void => {
      const check = checkOne(services, {name, position}, ask, stop.signal).then((checked) => ({position, checked}));
      // Nobody waits for it once the consumer has stopped.
      check.catch(() => undefined);
      running.set(position, check);
      reached = position;
    };
    const next = async (): Promise<Rechecked | undefined> => {
      const {position, checked} = await Promise.race(running.values());
      running.delete(position);
      if (checked === undefined || stop.signal.aborted) return undefined;
      const done = Math.min(reached + 1, ...running.keys()) - 1;
      return {...checked, progress: Math.min(1, done / Math.max(1, last)), cursor: formatCursor(cursorName, done)};
    };
    for await (const {items} of readList(store, siteList, toCandidates, {after})) {
      for (const candidate of items) {
        while (running.size >= concurrency && !closing.aborted) {
          const checked = await next();
          if (checked) yield checked;
        }
        if (closing.aborted) return;
        start(candidate);
        // A store and a check within the process answer without a pause, so many links would block other requests.
        await setImmediate();
      }
    }
    while (running.size > 0 && !closing.aborted) {
      const checked = await next();
      if (checked) yield checked;
    }
  } finally {
    closing.removeEventListener('abort', end);
    end();
  }
}

async function checkOne(
  services: RecheckServices,
  {name, position}: Candidate,
  check: CheckLink,
  signal: AbortSignal,
): Promise<Checked | undefined> {
  const seen = (await linkRecords.in(services.store).get(name))?.value;
  if (seen === undefined || siteList.positionOf(seen) !== position || !isActive(seen, services.now())) return undefined;
  const [link] = await showLinks(services, [seen]);
  if (link === undefined) return undefined;
  const {account} = seen;
  let verdict: Verdict;
  try {
    // A check that begins when the run is over would keep `close` waiting.
    signal.throwIfAborted();
    verdict = readVerdict(await inTime(check(link, account), checkTimeout, signal));
  } catch (error) {
    return {account, link, error};
  }
  return signal.aborted ? undefined : {account, ...(await applyVerdict(services, seen, link, verdict))};
}
