import {object, optional} from '../values/objects.ts';
import {malformed, readAs} from '../values/input.ts';
import {line, time, utc, type ValueOf} from '../values/shape.ts';
import {formatDateTime, momentIn} from '../values/calendar.ts';

/** Why a link was marked or blocked. Its owner sees it. */
export const reasonLine = line(200);

const reason = optional(reasonLine);

/** The mark of a link that leads nowhere, as its owner sees it. */
export const brokenMark = object({since: utc, reason});

/** The mark in a record. `since` is in milliseconds since the epoch. */
export const storedMark = object({since: time, reason});

type StoredMark = ValueOf<typeof storedMark>;

export const readBroken = readAs(brokenMark, ({since, ...rest}): StoredMark => {
  const mark = {since: momentIn(since), ...rest};
  if (storedMark.holds(mark)) return mark;
  throw malformed('The mark of a broken link must have a valid date.');
});

export function toBroken(mark: StoredMark | undefined): ValueOf<typeof brokenMark> | null {
  return mark === undefined ? null : {...mark, since: formatDateTime(mark.since)};
}
