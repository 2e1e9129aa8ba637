import {countedName} from '../../link/counters.ts';
import {fields, shownNames} from '../../link/fields.ts';
import {maxDays} from '../../links/stats/visit-stats.ts';
import type {
  ConversionStats,
  ConversionValue,
  DetailVisits,
  LinkStats,
  VisitStats,
} from '../../links/stats/statistics.ts';
import type {Link, RemovedLink} from '../../link/link.ts';
import {longUrl} from '../../link/long-url.ts';
import {linkStatus} from '../../link/record.ts';
import {anyText, choice, count, currencyCode, day, flag, positive, type Shape, text, utc} from '../../values/shape.ts';
import {maxValueLength, maxValues} from '../../visits/detail-values.ts';
import {shortPart} from '../../link/short-part.ts';
import type {Data, Item} from '../envelope.ts';
import type {AnswerFields, ValueField} from './answer-fields.ts';

/** A field of a link in an answer. */
interface RecordField extends ValueField {
  readonly of: (link: Link) => Item[string];
}

type RecordFields = Readonly<Record<string, RecordField>>;

const url: Shape<string> = {...text, schema: {type: 'string', format: 'uri'}};

export const created = {
  url_id: {
    sentence: 'The unique id of the link.',
    shape: positive,
    example: 42,
    of: ({urlId}) => urlId,
  },
  short_url: {
    sentence: 'The full short URL, with scheme and domain.',
    shape: url,
    example: 'https://example.com/spring',
    of: ({shortUrl}) => shortUrl,
  },
  short_url_part: {
    sentence: 'The short part alone.',
    shape: {...shortPart, bounds: ''},
    example: 'spring',
    of: ({shortUrlPart}) => shortUrlPart,
  },
  original_url: {
    sentence: 'The long URL, exactly as it was given.',
    shape: longUrl,
    example: 'https://example.org/a/long/one',
    of: ({originalUrl}) => originalUrl,
  },
} as const satisfies RecordFields;

const status = {
  sentence:
    '`scheduled` before its first day, `expired` after its end or its last visit. A disabled link stays `disabled`.',
  shape: linkStatus,
  example: 'active',
  of: (link: Link) => link.status,
} as const satisfies RecordField;

/** The visits of a link, or of all links. */
export const visited = {
  last_accessed: {
    sentence:
      'The time of the last counted visit; null before the first, or if only visits of unknown time were imported.',
    shape: utc,
    isNullable: true,
    example: '2029-12-31 08:15:30',
    of: ({lastAccessed}) => lastAccessed,
  },
  total_visits: {
    sentence: 'The number of counted visits.',
    shape: count,
    example: 7,
    of: ({totalVisits}) => totalVisits,
  },
} as const satisfies RecordFields;

/** The fields of a short record. */
export const shortRecord: RecordFields = {
  ...created,
  date_created: {
    sentence: 'When the link was created.',
    shape: utc,
    example: '2029-12-30 09:00:00',
    of: ({dateCreated}) => dateCreated,
  },
  ...visited,
  has_password: {
    sentence: 'Whether visitors must enter a password.',
    shape: flag,
    example: false,
    of: ({hasPassword}) => hasPassword,
  },
  expiry_date: {
    sentence: 'The last second in which the link works; null if it does not expire.',
    shape: utc,
    isNullable: true,
    example: '2030-12-31 23:59:59',
    of: ({expiryDate}) => expiryDate,
  },
  status,
};

/** The fields of a full record: every field that a link shows. */
export const fullRecord: RecordFields = {
  ...shortRecord,
  ...Object.fromEntries(
    shownNames.map((name) => {
      const {parameter, shape, sentence, example, shown} = fields[name];
      const isNullable = shown?.isAlways !== true;
      return [
        parameter,
        {
          sentence: shown?.sentence ?? (isNullable ? `${sentence} Null if there is none.` : sentence),
          shape: shown?.shape ?? shape,
          example: shown?.example ?? example,
          isNullable,
          of: (link) => link[name] as Item[string],
        } satisfies RecordField,
      ];
    }),
  ),
};

export const removed = {
  url_id: created.url_id,
  short_url: created.short_url,
  status: {
    sentence: 'The link was removed.',
    shape: choice(['removed']),
    example: 'removed',
    of: (link: {readonly status: string}) => link.status,
  },
} as const;

/** @param statuses those that the change can lead to */
export function changed(...statuses: ReadonlyArray<Link['status']>) {
  return {
    url_id: created.url_id,
    status: {...status, shape: choice(statuses), example: statuses[0]},
    short_url: created.short_url,
  } as const satisfies RecordFields;
}

const counted = {
  visits: {sentence: 'The counted visits.', shape: count, example: 5},
  conversions: {sentence: 'The conversions that the site has recorded.', shape: count, example: 2},
} as const;

const currency = {
  sentence: 'The currency; null if none was given.',
  shape: currencyCode,
  isNullable: true,
  example: 'EUR',
} as const;
const recordedBy = {
  sentence:
    'Who recorded them: the code of the site, or API calls of the account. They are never added, also if the names are equal.',
  shape: choice(['site', 'account']),
  example: 'site',
} as const;
const value = {sentence: 'The sum of their values, before refunds.', shape: count, example: 9800} as const;
const refunded = {sentence: 'The sum of their refunds.', shape: count, example: 4900} as const;

/** As the option `visitDetails` names them. */

const values = {sentence: 'What conversions were worth, by currency and recorder.'} as const;

/** What a link or a tag had in a span of days. */
export const numbers: AnswerFields = {
  visits: counted.visits,
  // Not `conversions`, which is a list in other records of links.
  conversion_count: counted.conversions,
  values: {...values, rows: [{currency, recorded_by: recordedBy, value, refunded}]},
};

export const conversionRows: AnswerFields = {
  name: {sentence: 'What was done.', shape: countedName, example: 'order'},
  currency,
  recorded_by: recordedBy,
  conversions: {sentence: 'The conversions.', shape: count, example: 2},
  value,
  refunds: {sentence: 'The refunds.', shape: count, example: 1},
  refunded,
};

export const conversions = {
  sentence: 'The conversions by name, currency and recorder, most first.',
  rows: [conversionRows],
} as const;

export const statsFields: AnswerFields = {
  days: {
    sentence: `The days with visits or conversions among the last ${maxDays}, oldest first, in the time zone of the site. With \`from\` or \`until\`, only these days.`,
    max: maxDays,
    rows: [
      {
        date: {sentence: 'The day.', shape: day, example: '2029-12-31'},
        ...counted,
        values: {
          ...values,
          rows: [
            {
              currency,
              recorded_by: recordedBy,
              value,
              refunded: {...refunded, sentence: "The sum of that day's refunds."},
            },
          ],
        },
      },
    ],
  },
  details: {
    sentence: `The details that the site counts with visits: for each name its values, most visits first, with \`from\` or \`until\` those of the whole months of these days. \`other\` is the sum of the values beyond the first ${maxValues}. XML has one list of \`detail\` elements, each with \`name\`, \`value\` and \`visits\`, grouped by name.`,
    name: countedName,
    example: 'referrer',
    lists: {
      value: {
        sentence: 'The value.',
        shape: {...anyText, schema: {...anyText.schema, maxLength: maxValueLength}},
        example: 'direct',
      },
      visits: {sentence: 'The counted visits.', shape: positive, example: 4},
    },
  },
  conversions,
};

export const variantFields = {
  variants: {
    sentence:
      'The variants of a link that has, or had, rules with a share or a name: its own URL as `A`, its rules, and earlier names. `other` are visitors whom the site has sent elsewhere. As for `details`, a span counts in whole months.',
    rows: [
      {
        name: {sentence: 'The variant.', shape: text, example: 'B'},
        visits: {...counted.visits, sentence: 'The counted visits of this variant.'},
        conversions: {...conversions, sentence: 'The conversions of these visitors.'},
      },
    ],
    isOptional: true,
  },
} as const satisfies AnswerFields;

/** A link with the fields of a table, in their order. */
export function toRecord(table: RecordFields, link: Link): Item {
  return Object.fromEntries(Object.entries(table).map(([name, {of}]) => [name, of(link)]));
}

export function toFullRecord(link: Link): Item {
  return toRecord(fullRecord, link);
}

export function toRemoved({urlId, shortUrl, status: is}: RemovedLink) {
  return {url_id: urlId, short_url: shortUrl, status: is} satisfies Data;
}

export function toStatsData({days, details, conversions: made}: VisitStats) {
  return {
    days: days.map((each) => ({
      date: each.date,
      visits: each.visits,
      conversions: each.conversions,
      values: toValues(each.values),
    })),
    details: toDetails(details),
    conversions: toConversions(made),
  } satisfies Data;
}

export function toVariants(variants: LinkStats['variants']) {
  return variants?.map((each) => ({
    name: each.name,
    visits: each.visits,
    conversions: toConversions(each.conversions),
  }));
}

export function toValues(given: readonly ConversionValue[]) {
  return given.map((each) => ({
    currency: each.currency,
    recorded_by: each.recordedBy,
    value: each.value,
    refunded: each.refunded,
  }));
}

export function toConversions(made: readonly ConversionStats[]) {
  return made.map((each) => ({
    name: each.name,
    currency: each.currency,
    recorded_by: each.recordedBy,
    conversions: each.conversions,
    value: each.value,
    refunds: each.refunds,
    refunded: each.refunded,
  }));
}

/** Leaves out a name without values, because the rows in XML could not have it. */
function toDetails(details: VisitStats['details']): Readonly<Record<string, readonly Item[]>> {
  const given = Object.entries(details).filter(([, values]) => values.length > 0);
  const toItem = ({value, visits}: DetailVisits): Item => ({value, visits});
  return Object.fromEntries(given.map(([which, values]) => [which, values.map(toItem)]));
}
