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
import {type CountersItem, isSequence} from './content.ts';

/** Finds what is wrong with a record of an export: the reason for people, undefined if there is none. */
export function problemOfRecord(key: string, value: unknown): string | undefined {
  const kind = kindOf(key);
  if (kind?.form === undefined || kind.isLocal) return 'there are no such records';
  const problem = problemIn(value, kind.form, 'value');
  if (problem !== undefined) return problem;
  if (!kind.isKeyOf(key, value)) return '`key` is not the key of `value`';
  return kind.name === 'l' ? problemOfLink(value as LinkRecord) : undefined;
}

/** Finds what is wrong with a set of counters. */
export function problemOfCounters({key, counts}: CountersItem): string | undefined {
  const kind = kindOf(key);
  if (!kind?.isCounters || kind.isLocal) return 'there are no such counters';
  if (!isSequence(key) || !Array.from(counts.values()).some(isDamaged)) return undefined;
  return 'the number is damaged. After the import, koa-short-url check --clean makes it again';
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
