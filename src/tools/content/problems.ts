import {ShortUrlError} from '../../errors.ts';
import {Bases} from '../../link/bases.ts';
import {Calendar} from '../../values/calendar.ts';
import {fields, type GivenName, givenNames} from '../../link/fields.ts';
import {isScheme, schemesOf} from '../../link/long-url.ts';
import {type LinkRecord, storedShapes} from '../../link/record.ts';
import {urlsIn} from '../../link/urls.ts';
import {isDamaged} from '../../store/walk.ts';
import {problemIn} from '../../values/objects.ts';
import {kindOf} from '../kinds.ts';
import {isSequence, type Item} from './content.ts';

/** Finds what is wrong with an item of an export: the reason for people, undefined if there is none. */
export function problemOf(item: Item): string | undefined {
  const {key} = item;
  const kind = kindOf(key);
  const isKnown = kind !== undefined && !kind.isLocal && kind.isCounters === (item.kind === 'counters');
  if (!isKnown) return `there are no such ${item.kind}`;
  if (item.kind === 'counters') {
    if (!isSequence(key) || !Array.from(item.counts.values()).some(isDamaged)) return undefined;
    return 'the number is damaged. After the import, koa-short-url check --clean makes it again';
  }
  const problem = kind.form && problemIn(item.value, kind.form, 'value');
  if (problem !== undefined) return problem;
  if (!kind.isKeyOf(key, item.value)) return '`key` is not the key of `value`';
  return kind.name === 'l' ? problemOfLink(item.value as LinkRecord) : undefined;
}

/** The fields of a link that a record has as its owner gave them. */
const ownersFields = givenNames.filter(
  (name): name is GivenName & keyof LinkRecord => name !== 'password' && Object.hasOwn(storedShapes, name),
);

function problemOfLink(record: LinkRecord): string | undefined {
  const isRemoved = record.state === 'removed';
  if (!isRemoved && (record.url === '' || record.counters === '' || record.id === 0)) {
    return 'expected a link that is not removed to have `value.url`, `value.counters` and `value.id`';
  }
  const rules = {bases, reserved, calendar, schemes: schemesIn(record), now: 0};
  for (const field of ownersFields) {
    const value = record[field];
    if (value === undefined || (isRemoved && value === '')) continue;
    try {
      fields[field].read(value, field, rules);
    } catch (error) {
      if (error instanceof ShortUrlError) return `\`value.${field}\`: ${error.message}`;
      throw error;
    }
  }
  return undefined;
}

// What the readers of other fields need.
const bases = new Bases('https://site.invalid', []);
const reserved = {has: () => false};
const calendar = new Calendar();

/** Every scheme that a site may have allowed and the link uses. */
function schemesIn(record: LinkRecord): ReadonlySet<string> {
  const given = urlsIn(record).map(([url]) => String(url).split(':', 1)[0]?.toLowerCase() ?? '');
  return schemesOf(given.filter(isScheme));
}
