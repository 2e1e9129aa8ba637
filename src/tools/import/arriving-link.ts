import {inOneLine} from '../../values/characters.ts';
import {tagList, titleLine, visitLimit} from '../../link/fields.ts';
import type {ShownName} from '../../link/fields.ts';
import {brokenMark} from '../../link/broken.ts';
import type {ArrivingLink} from './arrivals.ts';
import type {Note, SourceLink} from '../tables/source-link.ts';
import type {ImportSettings} from './import-options.ts';

/** A link that this site accepts, and the changes that were needed. */
export interface Fitted {
  readonly link: ArrivingLink;
  readonly notes: readonly Note[];
}

/** Values of other shorteners that are changed, because a create would refuse them. */
const changes: {readonly [Name in ShownName]?: (value: unknown, notes: Note[]) => ArrivingLink[Name]} = {
  title: (title, notes) => (typeof title === 'string' ? fitTitle(title, notes) : undefined),
  tags: (tags, notes) => fitTags(tags as readonly string[], notes),
  maxVisits: (limit, notes) => fitLimit(limit as number, notes),
  // Another shortener may mean something else by it.
  broken: (mark) => (brokenMark.holds(mark) ? mark : undefined),
};

/** Adapts a link to the limits of this site. Its destination and its protection never change. */
export function fit(source: SourceLink, {bases, baseDomain}: ImportSettings, now: number): Fitted {
  const notes: Note[] = [...(source.notes ?? [])];
  const {url, shortPart, created = now, end, visits = 0, lastVisit, password, isBlocked, isLocked} = source;
  if (isLocked) {
    const message = 'The password is unknown. Visitors cannot open the link until its owner sets a new one.';
    notes.push({code: 'password_unknown', message});
  }
  if (isBlocked) {
    const message = 'The operator of the other site has blocked the link, so it is blocked here too.';
    notes.push({code: 'blocked', message});
  }
  const given = Object.entries(source.fields) as Array<[ShownName, unknown]>;
  const fields: Pick<ArrivingLink, ShownName> = Object.fromEntries(
    given.map(([name, value]) => [name, changes[name] ? changes[name](value, notes) : value]),
  );
  // An expired link without an expiry date or limit must not work again.
  const isStopped = source.isExpired === true && end === undefined && fields.maxVisits === undefined;
  return {
    link: {
      url,
      customUrl: shortPart,
      baseDomain: (source.domain === undefined ? undefined : bases.find(source.domain)?.domain) ?? baseDomain,
      ...fields,
      created,
      end,
      visits,
      lastVisit,
      password,
      isDisabled: source.isDisabled === true || isStopped,
      isBlocked,
      isLocked,
    },
    notes,
  };
}

function fitTitle(title: string, notes: Note[]): string | undefined {
  const whole = inOneLine(title).normalize('NFC');
  const characters = whole.length <= titleLine.max ? undefined : Array.from(whole);
  if (characters === undefined || characters.length <= titleLine.max) return whole === '' ? undefined : whole;
  notes.push({code: 'title_changed', message: `The title was cut to ${titleLine.max} characters.`});
  return `${characters
    .slice(0, titleLine.max - 1)
    .join('')
    .trimEnd()}…`;
}

function fitTags(tags: readonly string[], notes: Note[]): readonly string[] {
  const whole = Array.from(
    new Set(tags.map((tag) => inOneLine(tag.replaceAll(',', ' ')).normalize('NFC')).filter(Boolean)),
  );
  const cut = whole.map((tag) => Array.from(tag).slice(0, tagList.maxItem).join('').trimEnd());
  const fitting = Array.from(new Set(cut)).slice(0, tagList.max);
  if (fitting.join() !== whole.join() || tags.some((tag) => tag.includes(','))) {
    const message = `The tags were cut to ${tagList.max} tags of at most ${tagList.maxItem} characters without commas.`;
    notes.push({code: 'tags_changed', message});
  }
  return fitting;
}

function fitLimit(limit: number, notes: Note[]): number | undefined {
  if (limit <= visitLimit.max) return limit;
  notes.push({code: 'limit_dropped', message: `The visit limit was above ${visitLimit.max} and was removed.`});
  return undefined;
}
