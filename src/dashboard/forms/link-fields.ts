import type {Fields} from '../../http/koa/form-body.ts';
import type {CreateLink, Link, UpdateLink} from '../../index.ts';
import {withQuery} from '../addresses.ts';
import type {Formats} from '../formats.ts';
import {campaignNames, campaignOf, utmIn} from './campaign.ts';
import {type InputName, inputNames, inputOf, inputs, isInOrder, shownIn} from './inputs.ts';
import {withScheme} from './long-url.ts';
import {digestOf, type Places, readRules, ruleField, rowsIn, rowsOf, ruleInputs, type RuleRow} from './rules.ts';

/** The fields of the forms for a link. They have the names of the API's parameters. */
export const fieldNames = [
  'url',
  'base_domain',
  'custom_url',
  'password',
  'reuse',
  ...inputNames,
  ...campaignNames,
] as const;

export type FieldName = (typeof fieldNames)[number];

/** The values that the user entered into a form. */
export type Entered = Readonly<Partial<Record<FieldName, string>>> & {readonly rules?: readonly RuleRow[] | undefined};

/** Reads the entered values from a posted form, or from the query with which the user comes back from the login. */
export function enteredIn(fields: Fields | URLSearchParams): Entered {
  const texts = fieldNames.flatMap((name) => {
    // The time of a date has an input of its own.
    const time = name.endsWith('_date') ? filled(fields.get(name.replace('_date', '_time'))?.trim()) : undefined;
    const value = fields.get(name) ?? (time === undefined ? undefined : '');
    if (value === undefined) return [];
    return [[name, cleaned(name, value) + (time === undefined ? '' : ` ${time}`)] as const];
  });
  return {...(Object.fromEntries(texts) as Entered), rules: rowsIn(fields)};
}

function cleaned(name: FieldName, text: string): string {
  if (name === 'password') return text;
  if (name === 'url') return withScheme(text);
  const clean = name in inputs ? inputOf(name as InputName).clean : undefined;
  return clean?.(text) ?? text.trim();
}

/** A query that keeps the entered values during a login. Of the password, which must not be in a URL, it keeps a flag. */
export function enteredQuery(form: Fields): string {
  const {password, rules = [], ...others} = enteredIn(form);
  const ofRules = rules.flatMap((row, index) =>
    ruleInputs.map((input) => [ruleField(index, input), row[input]] as const),
  );
  return withQuery('', {...others, ...Object.fromEntries(ofRules), again: filled(password) && 'password'});
}

/** The inputs with a wrong text. The shortener itself checks the fields that are not among them. */
export function wrongInputs(entered: Entered): InputName[] {
  const {start_date: start = '', expiry_date: end = ''} = entered;
  return inputNames.filter((name) => {
    const {[name]: text = ''} = entered;
    return (text !== '' && !inputOf(name).isRight(text)) || (name === 'start_date' && !isInOrder(start, end));
  });
}

/** The link to create. An empty field means that the link has no such value. */
export function toCreate(entered: Entered, places: Places): CreateLink {
  const {rules} = readRules(entered.rules ?? [], places);
  return {
    url: entered.url ?? '',
    customUrl: filled(entered.custom_url),
    password: filled(entered.password),
    baseDomain: filled(entered.base_domain),
    ...(Object.fromEntries(
      inputNames.map((name) => [inputOf(name).field, valueOf(name, entered)]),
    ) as Partial<CreateLink>),
    rules: rules.length > 0 ? rules : undefined,
    utm: utmIn(entered),
    reuse: entered.reuse === 'yes' ? true : undefined,
  };
}

/** The value of an input for the shortener; undefined for none. */
function valueOf(name: InputName, {[name]: text = ''}: Entered): CreateLink[keyof CreateLink] {
  const {read = String} = inputOf(name);
  return text === '' ? undefined : read(text);
}

/** The current values of a link for its form. The password is never shown. */
export function fieldsOf(link: Link, formats: Formats, places: Places): Entered {
  return {...textsOf(link, formats), rules: rowsOf(link.rules, places)};
}

/** The values of a link for the form of another one like it. Its short part, reference and password stay its own. */
export function valuesLike(link: Link, formats: Formats, places: Places): Entered {
  const base_domain = new URL(link.shortUrl).hostname;
  return {...fieldsOf(link, formats, places), reference: '', base_domain};
}

function textsOf(link: Link, formats: Formats): Partial<Record<FieldName, string>> {
  const texts = inputNames.map((name) => [name, shownIn(name, link, formats)] as const);
  return {
    url: link.originalUrl,
    ...(Object.fromEntries(texts) as Record<InputName, string>),
    ...campaignOf(link),
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
  const {url} = entered;
  const password = clearPassword ? null : filled(entered.password);
  const wanted = entered.rules && readRules(entered.rules, places).rules;
  const changed = inputNames.filter(isChanged).flatMap((name) => {
    const value = valueOf(name, entered);
    const isSame = JSON.stringify(value) === JSON.stringify(valueOf(name, loaded));
    return isSame ? [] : [[inputOf(name).field, value ?? null]];
  });
  return {
    ...(url && url !== loaded.url && {url}),
    ...(Object.fromEntries(changed) as UpdateLink),
    ...(wanted !== undefined && digestOf(wanted) !== rules && {rules: wanted.length > 0 ? wanted : null}),
    ...(campaignNames.some(isChanged) && {utm: utmIn({...loaded, ...entered}) ?? null}),
    ...(password !== undefined && {password}),
  };
}

export function filled(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
