import {inOneLine} from '../../host/characters.ts';
import type {Fields} from '../../web/form.ts';
import type {CreateLink, Link, UpdateLink} from '../../index.ts';
import {withQuery} from '../addresses.ts';

/** The fields of the forms for a link. They have the names of the API's parameters. */
export const fieldNames = [
  'url',
  'base_domain',
  'custom_url',
  'title',
  'tags',
  'password',
  'expiry_date',
  'max_visits',
] as const;

export type FieldName = (typeof fieldNames)[number];

/** The values that the user entered into a form. */
export type Entered = Readonly<Partial<Record<FieldName, string>>>;

/** Reads the entered values from a posted form, or from the query with which the user comes back from the login. */
export function enteredIn(fields: Fields | URLSearchParams): Entered {
  const values = fieldNames.map((name) => [name, fields.get(name) ?? undefined] as const);
  return Object.fromEntries(
    values.flatMap(([name, value]) => (value === undefined ? [] : [[name, readers[name]?.(value) ?? value.trim()]])),
  );
}

const readers: Partial<Record<FieldName, (text: string) => string>> = {
  url: withScheme,
  password: (text) => text,
  title: inOneLine,
  tags: inOneLine,
};

/** Adds `https://` to a URL without a scheme: a domain, and perhaps a port and a path. */
export function withScheme(text: string): string {
  const url = text.trim();
  const [authority = ''] = url.split(/[/?#]/, 1);
  return authority.includes('.') && /^[^\s:@]+(?::\d{1,5})?$/.test(authority) ? `https://${url}` : url;
}

/** A query that keeps the entered values during a login. Of the password, which must not be in a URL, it keeps a flag. */
export function enteredQuery(form: Fields): string {
  const {password, ...others} = enteredIn(form);
  return withQuery('', {...others, again: filled(password) && 'password'});
}

/** The fields with an invalid value. The shortener itself checks the fields that are not listed here. */
export function wrongFields({url, title = '', tags = '', max_visits: limit = ''}: Entered): FieldName[] {
  const isLimit = limit === '' || (/^\d{1,10}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= 1_000_000_000);
  const list = tagsIn(tags);
  const rules: Array<[name: FieldName, isRight: boolean]> = [
    ['url', url !== ''],
    ['title', lengthOf(title) <= 200],
    ['tags', list.length <= 20 && list.every((tag) => lengthOf(tag) <= 50)],
    ['max_visits', isLimit],
  ];
  return rules.filter(([, isRight]) => !isRight).map(([name]) => name);
}

/** The link to create. An empty field means that the link has no such value. */
export function toCreate(entered: Entered): CreateLink {
  const tags = tagsIn(entered.tags ?? '');
  return {
    url: entered.url ?? '',
    customUrl: filled(entered.custom_url),
    password: filled(entered.password),
    expiryDate: filled(entered.expiry_date),
    baseDomain: filled(entered.base_domain),
    title: filled(entered.title),
    tags: tags.length > 0 ? tags : undefined,
    maxVisits: numberIn(entered.max_visits),
  };
}

/** The current values of a link for its form. The password is never shown. */
export function fieldsOf({originalUrl, title, tags, expiryDate, maxVisits}: Link): Entered {
  return {
    url: originalUrl,
    title: title ?? '',
    tags: tags.join(', '),
    expiry_date: expiryDate?.slice(0, 10) ?? '',
    max_visits: maxVisits === null ? '' : String(maxVisits),
  };
}

/** The values that a posted form for a link was loaded with, or the current ones if it does not have them. */
export function loadedIn(form: Fields, link: Link): Entered {
  const values = Object.entries(fieldsOf(link));
  return Object.fromEntries(values.map(([name, value]) => [name, form.get(`loaded_${name}`) ?? value]));
}

/** The hidden fields that `loadedIn` reads. */
export function loadedFields(loaded: Entered): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(loaded).map(([name, value]) => [`loaded_${name}`, value]));
}

/**
 * The differences between a form and the values that it was loaded with, so that an expiry date in the past can stay, and
 * so does what was changed elsewhere in the meantime. An empty field clears the value. An empty password keeps the
 * current one, unless `clearPassword` is true.
 */
export function toUpdate(entered: Entered, loaded: Entered, clearPassword: boolean): UpdateLink {
  const isChanged = (name: FieldName): boolean => entered[name] !== undefined && entered[name] !== loaded[name];
  const tags = tagsIn(entered.tags ?? '');
  const password = clearPassword ? null : filled(entered.password);
  return {
    ...(isChanged('url') && {url: entered.url}),
    ...(isChanged('title') && {title: filled(entered.title) ?? null}),
    ...(isChanged('tags') && tags.join() !== tagsIn(loaded.tags ?? '').join() && {tags: tags.length > 0 ? tags : null}),
    ...(isChanged('expiry_date') && {expiryDate: filled(entered.expiry_date) ?? null}),
    ...(isChanged('max_visits') && {maxVisits: numberIn(entered.max_visits) ?? null}),
    ...(password !== undefined && {password}),
  };
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
