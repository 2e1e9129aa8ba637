import {inOneLine} from '../../host/characters.ts';
import {maxLimit, maxTag, maxTags, maxTitle} from '../../link/readers.ts';
import type {CreateLink} from '../../link/link.ts';
import type {ArrivingLink} from './arrivals.ts';
import type {CarriedName, Note, SourceLink} from './formats/source-link.ts';
import type {ImportSettings} from './import-options.ts';

/** A link that this site accepts, and the changes that were needed. */
export interface Fitted {
  readonly link: ArrivingLink;
  readonly notes: readonly Note[];
}

/** Adapts a link to the limits of this site. Its destination and its protection never change. */
export function fit(source: SourceLink, {bases, baseDomain}: ImportSettings, now: number): Fitted {
  const notes: Note[] = [...(source.notes ?? [])];
  const {url, shortPart, created = now, end, visits = 0, lastVisit, password} = source;
  const {isDisabled, isBlocked, isLocked, carried} = source;
  if (isLocked) {
    const message = 'The password is unknown. Visitors cannot open the link until its owner sets a new one.';
    notes.push({code: 'password_unknown', message});
  }
  if (isBlocked) {
    const message = 'The operator of the other site has blocked the link, so it is blocked here too.';
    notes.push({code: 'blocked', message});
  }
  return {
    link: {
      url,
      customUrl: shortPart,
      baseDomain: (source.domain === undefined ? undefined : bases.find(source.domain)?.domain) ?? baseDomain,
      title: fitTitle(source.title, notes),
      tags: fitTags(source.tags, notes),
      maxVisits: fitLimit(source.maxVisits, notes),
      startDate: source.start === undefined || source.start <= now ? undefined : new Date(source.start),
      // The import checks them as a create does.
      ...(carried as Pick<CreateLink, CarriedName>),
      created,
      end,
      visits,
      lastVisit,
      password,
      isDisabled,
      isBlocked,
      isLocked,
    },
    notes,
  };
}

function fitTitle(title: string | undefined, notes: Note[]): string | undefined {
  const whole = inOneLine(title ?? '').normalize('NFC');
  const characters = whole.length <= maxTitle ? undefined : Array.from(whole);
  if (characters === undefined || characters.length <= maxTitle) return whole === '' ? undefined : whole;
  notes.push({code: 'title_changed', message: `The title was cut to ${maxTitle} characters.`});
  return `${characters
    .slice(0, maxTitle - 1)
    .join('')
    .trimEnd()}…`;
}

function fitTags(tags: readonly string[] | undefined, notes: Note[]): readonly string[] | undefined {
  if (tags === undefined || tags.length === 0) return undefined;
  const whole = Array.from(
    new Set(tags.map((tag) => inOneLine(tag.replaceAll(',', ' ')).normalize('NFC')).filter(Boolean)),
  );
  const cut = whole.map((tag) => Array.from(tag).slice(0, maxTag).join('').trimEnd());
  const fitting = Array.from(new Set(cut)).slice(0, maxTags);
  if (fitting.join() !== whole.join() || tags.some((tag) => tag.includes(','))) {
    const message = `The tags were cut to ${maxTags} tags of at most ${maxTag} characters without commas.`;
    notes.push({code: 'tags_changed', message});
  }
  return fitting;
}

function fitLimit(maxVisits: number | undefined, notes: Note[]): number | undefined {
  if (maxVisits === undefined || maxVisits <= maxLimit) return maxVisits;
  notes.push({code: 'limit_dropped', message: `The visit limit was above ${maxLimit} and was removed.`});
  return undefined;
}
