import {countedName} from '../../link/counters.ts';
import {fields, shownNames} from '../../link/fields.ts';
import {maxDays} from '../../links/stats/visit-stats.ts';
import type {Link} from '../../link/link.ts';
import {longUrl} from '../../link/long-url.ts';
import {linkStatus} from '../../link/record.ts';
import {anyText, choice, count, currencyCode, day, flag, positive, type Shape, text, utc} from '../../values/shape.ts';
import {maxValueLength, maxValues} from '../../visits/detail-values.ts';
import {shortPart} from '../../link/short-part.ts';
import type {Item} from '../envelope.ts';
import {type AnswerField, type AnswerFields, codeNameOf} from './answer-fields.ts';

const url: Shape<string> = {...text, schema: {type: 'string', format: 'uri'}};

export const created = {
  url_id: {
    sentence: 'The unique id of the link.',
    shape: positive,
    example: 42,
  },
  short_url: {
    sentence: 'The full short URL, with scheme and domain.',
    shape: url,
    example: 'https://example.com/spring',
  },
  short_url_part: {
    sentence: 'The short part alone.',
    shape: {...shortPart, bounds: ''},
    example: 'spring',
  },
  original_url: {
    sentence: 'The long URL, exactly as it was given.',
    shape: longUrl,
    example: 'https://example.org/a/long/one',
  },
} as const satisfies AnswerFields;

const status = {
  sentence:
    '`scheduled` before its first day, `expired` after its end or its last visit. A disabled link stays `disabled`.',
  shape: linkStatus,
  example: 'active',
} as const satisfies AnswerField;

/** The visits of a link, or of all links. */
export const visited = {
  last_accessed: {
    sentence:
      'The time of the last counted visit; null before the first, or if only visits of unknown time were imported.',
    shape: utc,
    isNullable: true,
    example: '2029-12-31 08:15:30',
  },
  total_visits: {
    sentence: 'The number of counted visits.',
    shape: count,
    example: 7,
  },
} as const satisfies AnswerFields;

export const shortRecord: AnswerFields = {
  ...created,
  date_created: {
    sentence: 'When the link was created.',
    shape: utc,
    example: '2029-12-30 09:00:00',
  },
  ...visited,
  has_password: {
    sentence: 'Whether visitors must enter a password.',
    shape: flag,
    example: false,
  },
  expiry_date: {
    sentence: 'The last second in which the link works; null if it does not expire.',
    shape: utc,
    isNullable: true,
    example: '2030-12-31 23:59:59',
  },
  status,
};

/** The fields of a full record: every field that a link shows. */
export const fullRecord: AnswerFields = {
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
        } satisfies AnswerField,
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
  },
} as const;

/** @param statuses those that the change can lead to */
export function changed(...statuses: ReadonlyArray<Link['status']>) {
  return {
    url_id: created.url_id,
    status: {...status, shape: choice(statuses), example: statuses[0]},
    short_url: created.short_url,
  } as const satisfies AnswerFields;
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

/** The fields of a table, in their order, with the values that an object has under their names in code. */
export function toItem(table: AnswerFields, given: object): Item {
  const values = given as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(table).map(([name, field]) => [name, toValue(field, values[codeNameOf(name)])]),
  );
}

function toValue(field: AnswerField, value: unknown): Item[string] {
  if ('rows' in field && Array.isArray(value)) {
    const [row = {}] = field.rows;
    return value.map((each: object) => toItem(row, each));
  }
  // A name without values is left out, because the rows in XML could not have it.
  if ('lists' in field) {
    return Object.fromEntries(
      Object.entries(value as Readonly<Record<string, Item[]>>).filter(([, {length}]) => length > 0),
    );
  }
  return value as Item[string];
}

export function toFullRecord(link: Link): Item {
  return toItem(fullRecord, link);
}
