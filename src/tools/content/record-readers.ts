import type {AccountBlock, AccountRecord, LabelledKey, LiveAccount, RemovingAccount} from '../../accounts/record.ts';
import type {OwnedKeys} from '../../accounts/owned-records.ts';
import {
  aCount,
  aString,
  aText,
  aTime,
  aTrue,
  describe,
  isObject,
  listOf,
  oneOf,
  type Rule as Expected,
} from '../../host/describe.ts';
import {ShortUrlError} from '../../host/errors.ts';
import {Bases, type LinkName} from '../../link/bases.ts';
import {Calendar} from '../../link/calendar.ts';
import {type FieldName, fieldNames, fields, storedFields} from '../../link/fields.ts';
import {isScheme, schemesOf} from '../../link/long-url.ts';
import type {LinkRecord} from '../../link/record.ts';
import {urlsIn} from '../../link/urls.ts';
import type {ConversionRecord, RefundRecord} from '../../conversions/conversions.ts';
import type {CustomerRecord} from '../../conversions/customers.ts';
import {isCurrency} from '../../conversions/input.ts';
import type {Intent} from '../../links/create/intents.ts';
import {slotsPerRecord} from '../../links/list/link-index.ts';
import type {Pointer} from '../../links/references.ts';
import {accountKey, type KindName, type kinds, linkKey} from '../../records.ts';
import type {Tries} from '../../visits/attempts.ts';

/** Finds what is wrong with a record: the reason for people, undefined if there is none. */
type Reader = (value: unknown, key: string) => string | undefined;

type Shape<Value> = {readonly [Name in keyof Required<Value>]: Expected};

/** The kinds of records that an export has. */
export type RecordKind = {
  [Name in KindName]: (typeof kinds)[Name] extends {isCounters: true} | {isLocal: true} ? never : Name;
}[KindName];

const name: Shape<LinkName> = {domain: aText, slug: aText};

const intent: Shape<Intent> = {
  at: aTime,
  digest: optional(aString),
  generation: optional(aString),
  link: optional(anObject({...name, counters: aText, id: optional(aCount)} satisfies Shape<Intent['link'] & {}>)),
  isDone: optional(aTrue),
};

const pointer: Shape<Pointer> = {...name, generation: aText, counters: aText, stamp: aText};

const conversion: Shape<ConversionRecord> = {
  ...name,
  id: aCount,
  generation: aText,
  at: aTime,
  value: aCount,
  currency: optional({expected: 'three capital letters', holds: isCurrency}),
  refunds: optional(
    listOf(anObject({digest: aText, at: aTime, value: aCount, isDone: optional(aTrue)} satisfies Shape<RefundRecord>)),
  ),
  isDone: optional(aTrue),
};

const customer: Shape<CustomerRecord> = {
  ...name,
  id: aCount,
  generation: aText,
  at: aTime,
  until: aTime,
  position: aCount,
};

const owned: Shape<OwnedKeys> = {until: aTime, keys: listOf(aString)};

const tries: Shape<Tries> = {wrong: listOf(aTime), open: listOf(aTime)};

const removing: Shape<RemovingAccount> = {
  id: aText,
  generation: aText,
  position: aCount,
  state: oneOf('removing'),
  block: optional(anObject({id: aText, reason: optional(aString), removed: aTime} satisfies Shape<AccountBlock>)),
};

const live: Shape<LiveAccount> = {
  id: aText,
  generation: aText,
  position: aCount,
  state: oneOf('live'),
  created: aTime,
  keyDigest: aText,
  sealedKey: aText,
  keyCreated: optional(aTime),
  keys: optional(
    listOf(
      anObject({
        id: aText,
        label: aText,
        scope: oneOf('read', 'create', 'full'),
        created: aTime,
        digest: aText,
      } satisfies Shape<LabelledKey>),
    ),
  ),
  blocks: optional(aCount),
  blockReason: optional(aString),
};

const link: Shape<LinkRecord> = {
  ...(Object.fromEntries(
    Object.entries(storedFields).map(([field, expected]) => [field, optional(expected)]),
  ) as Shape<LinkRecord>),
  domain: aText,
  slug: aText,
  id: aCount,
  account: aString,
  generation: aString,
  position: aCount,
  url: storedFields.url,
  created: aTime,
  counters: aString,
  state: storedFields.state,
};

/** The fields of a link that a record has as its owner gave them. */
const ownersFields = fieldNames.filter(
  (name): name is FieldName & keyof LinkRecord => name !== 'password' && Object.hasOwn(fields[name].stored ?? {}, name),
);

/** The readers of the records of an export. Each kind has one. */
export const recordReaders: Readonly<Record<RecordKind, Reader>> = {
  l: (value, key) => problemIn(value, link) ?? problemOfLink(value as LinkRecord, key),
  list: (value) => {
    const isRecord = listOf({expected: 'a slot', holds: (slot) => slot === 0 || aText.holds(slot)}).holds(value);
    if (isRecord && (value as unknown[]).length <= slotsPerRecord) return undefined;
    return `expected \`value\` to be an array of at most ${slotsPerRecord} slots, got ${describe(value)}`;
  },
  account: (value, key) => {
    const isLive = isObject(value) && value['state'] === 'live';
    const problem = problemIn(value, isLive ? live : removing);
    return problem ?? notItsKey(accountKey((value as AccountRecord).id) === key);
  },
  accounts: (value) => problemIn(value, isObject(value) && 'block' in value ? {block: aText} : {account: aText}),
  block: (value) => problemIn(value, {position: aCount, reason: optional(aString), removed: aTime}),
  'site-key': (value) => problemIn(value, {sealed: aText}),
  attempts: (value) => problemIn(value, tries),
  quota: (value) => problemIn(value, {until: aTime, used: aCount}),
  intent: (value) => problemIn(value, intent),
  reuse: (value) => problemIn(value, intent),
  reference: (value) => problemIn(value, pointer),
  conversion: (value) => problemIn(value, conversion),
  customer: (value) => problemIn(value, customer),
  owned: (value) => problemIn(value, owned),
  'conversion-names': (value) => {
    if (listOf(aText).holds(value)) return undefined;
    return `expected \`value\` to be an array of names, got ${describe(value)}`;
  },
};

function problemIn(value: unknown, shape: Readonly<Record<string, Expected>>): string | undefined {
  if (!isObject(value) || Array.isArray(value)) return `expected \`value\` to be an object, got ${describe(value)}`;
  for (const [field, {expected, holds}] of Object.entries(shape)) {
    if (!holds(value[field])) return `expected \`value.${field}\` to be ${expected}, got ${describe(value[field])}`;
  }
  const isKnown = Object.keys(value).every((field) => Object.hasOwn(shape, field));
  return isKnown ? undefined : `expected \`value\` to have only ${Object.keys(shape).join(', ')}`;
}

function problemOfLink(record: LinkRecord, key: string): string | undefined {
  const isRemoved = record.state === 'removed';
  if (!isRemoved && (record.url === '' || record.counters === '' || record.id === 0)) {
    return 'expected a link that is not removed to have `value.url`, `value.counters` and `value.id`';
  }
  const rules = {bases, reserved, calendar, schemes: schemesIn(record), now: 0};
  for (const field of ownersFields) {
    const value = record[field];
    if (value === undefined || (isRemoved && value === '')) continue;
    try {
      fields[field].reader(rules)(value, field);
    } catch (error) {
      if (error instanceof ShortUrlError) return `\`value.${field}\`: ${error.message}`;
      throw error;
    }
  }
  return notItsKey(linkKey(record) === key);
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

function notItsKey(isItsKey: boolean): string | undefined {
  return isItsKey ? undefined : '`key` is not the key of `value`';
}

function optional({expected, holds}: Expected): Expected {
  return {expected, holds: (value) => value === undefined || holds(value)};
}

function anObject(shape: Readonly<Record<string, Expected>>): Expected {
  return {
    expected: `an object with ${Object.keys(shape).join(', ')}`,
    holds: (value) => problemIn(value, shape) === undefined,
  };
}
