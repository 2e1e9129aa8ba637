import {ShortUrlError} from '../../host/errors.ts';
import {parseExpiryDate} from '../input/dates.ts';
import {clearable, readFields, readMaxVisits, readPassword, readTags, readTitle, text} from '../input/fields.ts';
import type {UpdateLink} from '../link.ts';
import {type LongUrl, parseLongUrl} from '../input/long-url.ts';
import type {LinkRecord} from '../record.ts';

/** Changes of a link that passed their checks. Undefined values stay, and null clears. */
export interface Changes {
  readonly url: LongUrl | undefined;
  readonly password: string | null | undefined;
  readonly end: number | null | undefined;
  readonly title: string | null | undefined;
  readonly tags: readonly string[] | null | undefined;
  readonly maxVisits: number | null | undefined;
}

/**
 * Checks the changes in the given order.
 *
 * @throws ShortUrlError with the code of the first wrong one, or `missing_parameter` if there are no changes
 */
export function checkChanges(input: UpdateLink, now: number): Changes {
  const {url, password, expiryDate, title, tags, maxVisits} = readFields(input, 'A link is changed by', {
    url: text(parseLongUrl),
    password: clearable(text(readPassword)),
    expiryDate: clearable(text((date) => parseExpiryDate(date, now))),
    title: clearable(text(readTitle)),
    tags: clearable(readTags),
    maxVisits: clearable(readMaxVisits),
  });
  const changes = {url, password, end: expiryDate, title, tags, maxVisits};
  if (Object.values(changes).some((change) => change !== undefined)) return changes;
  throw new ShortUrlError('missing_parameter', 'Nothing to change was given.');
}

/**
 * The record with the changes.
 *
 * @param changes a new password is given as its hash
 */
export function applyChanges(record: LinkRecord, {url, tags, maxVisits, ...changes}: Changes): LinkRecord {
  const limit = changed(record.maxVisits, maxVisits);
  const newTags = changed(record.tags, tags);
  return present({
    ...record,
    ...(url && {url: url.url, target: url.target === url.url ? undefined : url.target}),
    password: changed(record.password, changes.password),
    end: changed(record.end, changes.end),
    title: changed(record.title, changes.title),
    tags: newTags?.length === 0 ? undefined : newTags,
    maxVisits: limit,
    // A new limit starts with the visits counted so far: see `VisitLimits`.
    used: limit === undefined || record.maxVisits === undefined ? undefined : record.used,
  });
}

function changed<Value>(value: Value | undefined, change: Value | null | undefined): Value | undefined {
  return change === undefined ? value : (change ?? undefined);
}

/** Leaves out undefined values, as the store does, so that records can be compared. */
function present(fields: {readonly [Name in keyof LinkRecord]: LinkRecord[Name] | undefined}): LinkRecord {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as unknown as LinkRecord;
}
