import {inOneLine} from '../../host/characters.ts';
import type {Fields} from '../../web/form.ts';
import type {CreateLink, Link, UpdateLink} from '../../index.ts';
import {withQuery} from '../addresses.ts';
import type {Formats} from '../formats.ts';
import {campaignIn, campaignNames, type CampaignName, withCampaign} from './campaign.ts';
import {hasScheme, withScheme} from './long-url.ts';
import {
  digestOf,
  isRealDate,
  type Places,
  readRules,
  ruleField,
  ruleInputs,
  rowsIn,
  rowsOf,
  type RuleRow,
} from './rules.ts';

/** The fields of the forms for a link. They have the names of the API's parameters. */
export const fieldNames = [
  'url',
  'base_domain',
  'custom_url',
  'title',
  'tags',
  'password',
  'start_date',
  'start_time',
  'expiry_date',
  'expiry_time',
  'max_visits',
  'expired_url',
  'forward_query',
  ...campaignNames,
] as const;

export type FieldName = (typeof fieldNames)[number];

/** The values that the user entered into a form. */
export type Entered = Readonly<Partial<Record<FieldName, string>>> & {readonly rules?: readonly RuleRow[] | undefined};

/** Reads the entered values from a posted form, or from the query with which the user comes back from the login. */
export function enteredIn(fields: Fields | URLSearchParams): Entered {
  const values = fieldNames.map((name) => [name, fields.get(name) ?? undefined] as const);
  const texts = values.flatMap(([name, value]) =>
    value === undefined ? [] : [[name, readers[name]?.(value) ?? value.trim()]],
  );
  return {...(Object.fromEntries(texts) as Entered), rules: rowsIn(fields)};
}

const readers: Partial<Record<FieldName, (text: string) => string>> = {
  url: withScheme,
  expired_url: withScheme,
  password: (text) => text,
  title: inOneLine,
  tags: inOneLine,
};

/** A query that keeps the entered values during a login. Of the password, which must not be in a URL, it keeps a flag. */
export function enteredQuery(form: Fields): string {
  const {password, rules = [], ...others} = enteredIn(form);
  const ofRules = rules.flatMap((row, index) =>
    ruleInputs.map((input) => [ruleField(index, input), row[input]] as const),
  );
  return withQuery('', {...others, ...Object.fromEntries(ofRules), again: filled(password) && 'password'});
}

/** The fields with an invalid value. The shortener itself checks the fields that are not listed here. */
export function wrongFields(entered: Entered): FieldName[] {
  const {url, title = '', tags = '', max_visits: limit = '', expired_url: expiredUrl = ''} = entered;
  const start = momentIn(entered, 'start');
  const end = momentIn(entered, 'expiry');
  const isBeforeEnd = start === undefined || end === undefined || start <= (end.includes(' ') ? end : `${end} 24:00`);
  const isLimit = limit === '' || (/^\d{1,10}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= 1_000_000_000);
  const list = tagsIn(tags);
  const rules: Array<[name: FieldName, isRight: boolean]> = [
    ['url', url !== ''],
    ['title', lengthOf(title) <= 200],
    ['tags', list.length <= 20 && list.every((tag) => lengthOf(tag) <= 50)],
    ['max_visits', isLimit],
    ['start_date', isMoment(start) && isBeforeEnd],
    ['expiry_date', isMoment(end)],
    ['expired_url', expiredUrl === '' || hasScheme(expiredUrl)],
  ];
  return rules.filter(([, isRight]) => !isRight).map(([name]) => name);
}

/** The link to create. An empty field means that the link has no such value. */
export function toCreate(entered: Entered, places: Places): CreateLink {
  const tags = tagsIn(entered.tags ?? '');
  const {rules} = readRules(entered.rules ?? [], places);
  const campaign = Object.entries(campaignOf(entered)).filter(([, value]) => value !== '');
  return {
    url: withCampaign(entered.url ?? '', Object.fromEntries(campaign)),
    customUrl: filled(entered.custom_url),
    password: filled(entered.password),
    startDate: momentIn(entered, 'start'),
    expiryDate: momentIn(entered, 'expiry'),
    expiredUrl: filled(entered.expired_url),
    baseDomain: filled(entered.base_domain),
    title: filled(entered.title),
    tags: tags.length > 0 ? tags : undefined,
    maxVisits: numberIn(entered.max_visits),
    forwardQuery: choiceIn(entered.forward_query),
    rules: rules.length > 0 ? rules : undefined,
  };
}

/** The current values of a link for its form. The password is never shown. */
export function fieldsOf(link: Link, formats: Formats, places: Places): Entered {
  return {...textsOf(link, formats), rules: rowsOf(link.rules, places)};
}

function textsOf(link: Link, formats: Formats): Partial<Record<FieldName, string>> {
  const {originalUrl, title, tags, startDate, expiryDate, maxVisits, expiredUrl, forwardQuery} = link;
  return {
    url: originalUrl,
    title: title ?? '',
    tags: tags.join(', '),
    ...momentInputs('start', startDate, formats),
    ...momentInputs('expiry', expiryDate, formats),
    max_visits: maxVisits === null ? '' : String(maxVisits),
    expired_url: expiredUrl ?? '',
    forward_query: forwardQuery ? 'yes' : 'no',
    ...campaignIn(originalUrl),
  };
}

/** The values that a form for a link was loaded with. */
export interface Loaded {
  readonly texts: Readonly<Partial<Record<FieldName, string>>>;
  readonly rules: string;
}

/** Reads them from a posted form; the current ones if it does not have them. */
export function loadedIn(form: Fields, link: Link, formats: Formats): Loaded {
  const values = Object.entries(textsOf(link, formats));
  return {
    texts: Object.fromEntries(values.map(([name, value]) => [name, form.get(`loaded_${name}`) ?? value])),
    rules: form.get('loaded_rules') ?? digestOf(link.rules),
  };
}

/** The hidden fields that `loadedIn` reads. */
export function loadedFields({texts, rules}: Loaded): Readonly<Record<string, string>> {
  const fields = Object.entries(texts).map(([name, value]) => [`loaded_${name}`, value] as const);
  return {...Object.fromEntries(fields), loaded_rules: rules};
}

/**
 * The differences between a form and the values that it was loaded with, so that an expiry date in the past can stay, and
 * so does what was changed elsewhere in the meantime. An empty field clears the value. An empty password keeps the
 * current one, unless `clearPassword` is true.
 */
export function toUpdate(
  entered: Entered,
  {texts: loaded, rules}: Loaded,
  places: Places,
  clearPassword: boolean,
): UpdateLink {
  const isChanged = (name: FieldName): boolean => entered[name] !== undefined && entered[name] !== loaded[name];
  const campaign = Object.entries(campaignOf(entered)).filter(([name]) => isChanged(name as CampaignName));
  const url = entered.url && withCampaign(entered.url, Object.fromEntries(campaign));
  const tags = tagsIn(entered.tags ?? '');
  const password = clearPassword ? null : filled(entered.password);
  const wanted = entered.rules && readRules(entered.rules, places).rules;
  return {
    ...(url !== undefined && url !== loaded.url && {url}),
    ...(isChanged('title') && {title: filled(entered.title) ?? null}),
    ...(isChanged('tags') && tags.join() !== tagsIn(loaded.tags ?? '').join() && {tags: tags.length > 0 ? tags : null}),
    ...((isChanged('start_date') || isChanged('start_time')) && {startDate: momentIn(entered, 'start') ?? null}),
    ...((isChanged('expiry_date') || isChanged('expiry_time')) && {expiryDate: momentIn(entered, 'expiry') ?? null}),
    ...(isChanged('max_visits') && {maxVisits: numberIn(entered.max_visits) ?? null}),
    ...(isChanged('expired_url') && {expiredUrl: filled(entered.expired_url) ?? null}),
    ...(isChanged('forward_query') && {forwardQuery: choiceIn(entered.forward_query) ?? null}),
    ...(wanted !== undefined && digestOf(wanted) !== rules && {rules: wanted.length > 0 ? wanted : null}),
    ...(password !== undefined && {password}),
  };
}

function campaignOf(entered: Entered): Partial<Record<CampaignName, string>> {
  const given = campaignNames.map((name) => [name, entered[name]] as const).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}

/** The first or last moment of the link as the shortener reads it; undefined if none is entered. */
function momentIn(entered: Entered, name: 'start' | 'expiry'): string | undefined {
  return filled([entered[`${name}_date`], entered[`${name}_time`]].filter(Boolean).join(' '));
}

function isMoment(text = ''): boolean {
  const [date = '', time = '00:00'] = text.split(' ');
  return text === '' || (isRealDate(date) && /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/.test(time));
}

/** The inputs for the first or last moment of a link. A whole day has no time, and only a moment within a minute has seconds. */
function momentInputs(
  name: 'start' | 'expiry',
  moment: string | null,
  formats: Formats,
): Partial<Record<FieldName, string>> {
  const {date, time} = moment === null ? {date: '', time: ''} : formats.local(moment);
  const wholeDay = name === 'start' ? '00:00:00' : '23:59:59';
  return {[`${name}_date`]: date, [`${name}_time`]: time === wholeDay ? '' : time.replace(/:00$/, '')};
}

function choiceIn(text: string | undefined): boolean | undefined {
  return text === 'yes' ? true : text === 'no' ? false : undefined;
}

function filled(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function numberIn(text: string | undefined): number | undefined {
  return filled(text) === undefined ? undefined : Number(text);
}

/** The tags in a text with commas, each once. */
export function tagsIn(text: string): string[] {
  const tags = text.split(',').map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ''))];
}

/** In code points, as the shortener counts. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}
