import {limits, ruleInputs} from '../generated/limits.ts';
import {createHash} from 'node:crypto';
import type {Link, PageLanguage} from '../../index.ts';
import {countries, countryOf} from '../../host/countries.ts';
import type {Fields} from '../../web/form.ts';
import {dayOf} from '../visits/span.ts';
import {hasScheme, withScheme} from './long-url.ts';

export type Rule = Link['rules'][number];

/** The inputs of a rule, in their order. */
export type RuleInput = (typeof ruleInputs)[number];

/** A rule as it is entered. All inputs of a row without a rule are empty. */
export type RuleRow = Readonly<Record<RuleInput, string>>;

const emptyRow: RuleRow = {device: '', language: '', country: '', from: '', until: '', url: ''};

export function isEmpty(row: RuleRow): boolean {
  return ruleInputs.every((input) => row[input] === '');
}

export function ruleField(index: number, input: RuleInput): string {
  return `rule_${index}_${input}`;
}

/** The rows of a form; undefined if it has none. */
export function rowsIn(fields: Fields | URLSearchParams): RuleRow[] | undefined {
  const rows = Array.from({length: limits.rules}, (_, index) => {
    const values = ruleInputs.map((input) => [input, fields.get(ruleField(index, input))?.trim()] as const);
    if (values.every(([, value]) => value === undefined)) return undefined;
    const row = Object.fromEntries(values.map(([input, value = '']) => [input, value])) as unknown as RuleRow;
    return {...row, url: withScheme(row.url)};
  }).filter((row) => row !== undefined);
  return rows.length === 0 ? undefined : rows;
}

/** Does what the button of a row asks for: `more`, `up_2` or `remove_2`. */
export function rearranged(rows: readonly RuleRow[], button: string): RuleRow[] {
  const [verb = '', position = ''] = button.split('_');
  const index = Number(position);
  const filled = rows.filter((row, at) => !isEmpty(row) && !(verb === 'remove' && at === index));
  const from = rows.slice(0, index).filter((row) => !isEmpty(row)).length;
  if (verb === 'up' && from > 0 && filled[from] !== undefined) {
    filled.splice(from - 1, 0, ...filled.splice(from, 1));
  }
  const empty = verb === 'more' ? Math.max(1, rows.filter(isEmpty).length) + 1 : 1;
  return [...filled, ...Array<RuleRow>(empty).fill(emptyRow)];
}

/** The rows to show: the rules, and at least one empty row, so that a rule can be added without a script. */
export function shownRows(rows: readonly RuleRow[]): RuleRow[] {
  const filled = rows.filter((row) => !isEmpty(row));
  const empty = Math.max(1, rows.length - filled.length);
  return [...filled, ...Array<RuleRow>(empty).fill(emptyRow)].slice(0, limits.rules);
}

export type RuleMistake = 'url' | 'condition' | 'language' | 'country' | 'dates';

/** The input in which each mistake is corrected. */
export const inputOf: Readonly<Record<RuleMistake, RuleInput>> = {
  url: 'url',
  condition: 'device',
  language: 'language',
  country: 'country',
  dates: 'from',
};

const known = new Map<PageLanguage, Places>();

/** The names of languages and countries in the language of a page. */
export function placesOf(language: PageLanguage): Places {
  const places = known.get(language) ?? new Places(language);
  known.set(language, places);
  return places;
}

export class Places {
  readonly languages: readonly string[];
  readonly countries: readonly string[];
  readonly #names: Readonly<Record<'language' | 'country', Intl.DisplayNames>>;

  constructor(language: PageLanguage) {
    this.#names = {
      language: new Intl.DisplayNames(language, {type: 'language', fallback: 'code'}),
      country: new Intl.DisplayNames(language, {type: 'region', fallback: 'code'}),
    };
    const sorted = (kind: 'language' | 'country', codes: Iterable<string>): string[] =>
      [...codes].map((code) => this.show(kind, code)).toSorted(new Intl.Collator(language).compare);
    this.languages = sorted('language', languageCodes.split(' '));
    this.countries = sorted('country', countries);
  }

  /** `German (de)`; the code alone if it has no name. */
  show(kind: 'language' | 'country', code: string): string {
    if (code === '') return '';
    const name = this.#nameOf(kind, code);
    return name === undefined || name.toLowerCase() === code.toLowerCase() ? code : `${name} (${code})`;
  }

  /** The code in what `show` returned, or in what the user typed: a code or a name. */
  codeOf(kind: 'language' | 'country', text: string): string {
    const known = kind === 'language' ? this.languages : this.countries;
    const shown = known.find((each) => each.toLowerCase().startsWith(`${text.toLowerCase()} (`)) ?? text;
    return /\(([\w-]{2,20})\)$/.exec(shown)?.[1] ?? text;
  }

  #nameOf(kind: 'language' | 'country', code: string): string | undefined {
    try {
      return this.#names[kind].of(code);
    } catch {
      // It is no code at all: the form shows what the user typed.
      return undefined;
    }
  }
}

/** The rules in the rows, and the first mistake of each row. Empty rows are no rules. */
export function readRules(
  rows: readonly RuleRow[],
  places: Places,
): {rules: Rule[]; mistakes: ReadonlyMap<number, RuleMistake>} {
  const mistakes = new Map<number, RuleMistake>();
  const rules = rows.flatMap((row, index) => {
    if (isEmpty(row)) return [];
    const {device, from, until, url} = row;
    const language = places.codeOf('language', row.language);
    const country = places.codeOf('country', row.country).toUpperCase();
    const mistake = mistakeIn({...row, language, country});
    if (mistake !== undefined) mistakes.set(index, mistake);
    const conditions = Object.entries({device, language, country, from, until}).filter(([, value]) => value !== '');
    return [{...Object.fromEntries(conditions), url}];
  });
  return {rules, mistakes};
}

function mistakeIn({device, language, country, from, until, url}: RuleRow): RuleMistake | undefined {
  if (!hasScheme(url)) return 'url';
  if ([device, language, country, from, until].every((value) => value === '')) return 'condition';
  if (language !== '' && !/^[a-z]{2,3}(?:-[a-z\d]{2,8}){0,2}$/i.test(language)) return 'language';
  if (country !== '' && countryOf(country) === undefined) return 'country';
  const isDate = (text: string): boolean => text === '' || !Number.isNaN(dayOf(text));
  if (!isDate(from) || !isDate(until) || (from !== '' && until !== '' && from > until)) return 'dates';
  return undefined;
}

/** The rows of existing rules. */
export function rowsOf(rules: readonly Rule[], places: Places): RuleRow[] {
  return rules.map(({device = '', language = '', country = '', from = '', until = '', url}) => ({
    device,
    language: places.show('language', language),
    country: places.show('country', country.toUpperCase()),
    from,
    until,
    url,
  }));
}

/** Shows whether rules were changed since a form was loaded, without sending them twice. */
export function digestOf(rules: readonly Rule[]): string {
  const values = rules.map((rule) => ruleInputs.map((input) => rule[input] ?? ''));
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 22);
}

const languageCodes =
  'ar bg bn ca cs da de el en es et eu fa fi fil fr gl gu he hi hr hu id is it ja ka kk kn ko lt lv mk ml mr ms nb nl pa pl pt ro ru sk sl sq sr sv sw ta te th tr uk ur uz vi zh';
