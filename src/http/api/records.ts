import {fields, shownNames} from '../../link/fields.ts';
import type {DetailVisits, Link, RemovedLink, VisitStats} from '../../link/link.ts';
import type {Data, Item} from '../envelope.ts';

export function toCreated(link: Link) {
  return {
    url_id: link.urlId,
    short_url: link.shortUrl,
    short_url_part: link.shortUrlPart,
    original_url: link.originalUrl,
  } satisfies Data;
}

export function toInfo(link: Link) {
  return {
    ...toCreated(link),
    date_created: link.dateCreated,
    last_accessed: link.lastAccessed,
    total_visits: link.totalVisits,
    has_password: link.hasPassword,
    expiry_date: link.expiryDate,
    status: link.status,
  } satisfies Data;
}

export function toRemoved({urlId, shortUrl, status}: RemovedLink) {
  return {url_id: urlId, short_url: shortUrl, status} satisfies Data;
}

export function toFullRecord(link: Link) {
  const shown = shownNames.map((name) => [fields[name].parameter, link[name]] as const);
  return {...toInfo(link), ...(Object.fromEntries(shown) as Item)} satisfies Data;
}

export function toStatsData({days, details, conversions}: VisitStats) {
  return {
    days: days.map(({date, visits, conversions: made}) => ({date, visits, conversions: made})),
    details: toDetails(details),
    conversions: conversions.map(({name, conversions: made, value}) => ({name, conversions: made, value})),
  } satisfies Data;
}

/** Leaves out a name without values, because the rows in XML could not have it. */
function toDetails(details: VisitStats['details']): Readonly<Record<string, readonly Item[]>> {
  const counted = Object.entries(details).filter(([, values]) => values.length > 0);
  const toItem = ({value, visits}: DetailVisits): Item => ({value, visits});
  return Object.fromEntries(counted.map(([name, values]) => [name, values.map(toItem)]));
}
