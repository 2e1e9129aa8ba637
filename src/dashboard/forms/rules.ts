import {conditions, limits} from '../generated/limits.ts';
import {createHash} from 'node:crypto';
import type {Link, PageLanguage} from '../../index.ts';
import {countries, countryOf} from '../../values/countries.ts';
import type {Fields} from '../../http/koa/form-body.ts';
import {dayOf} from '../visits/span.ts';
import {hasScheme, withScheme} from './long-url.ts';

export type Rule = Link['rules'][number];

export type ConditionName = keyof typeof conditions;

type NameOf<Input> = {
  [Name in ConditionName]: (typeof conditions)[Name]['input'] extends Input ? Name : never;
}[ConditionName];

/** The conditions that are entered by the name of a place or language. */
export type PlaceName = NameOf<'place'>;

/** The texts of the values among which a condition chooses. The empty one is none. */
export type Choices = {
  readonly [Name in NameOf<'choice'>]: Readonly<Record<'' | (typeof conditions)[Name]['choices'][number], string>>;
};

/** The input of each condition. */
export const inputs: Readonly<Record<ConditionName, {readonly input: string; readonly pattern: string}>> = conditions;

export const conditionNames = Object.keys(conditions) as readonly ConditionName[];

/** The inputs of a rule, in their order. */
export const ruleInputs = [...conditionNames, 'name', 'url'] as const;

export type RuleInput = (typeof ruleInputs)[number];

/** A rule as it is entered. All inputs of a row without a rule are empty. */
export type RuleRow = Readonly<Record<RuleInput, string>>;

function rowOf(textOf: (input: RuleInput) => string): RuleRow {
  const row: Partial<Record<RuleInput, string>> = {};
  for (const input of ruleInputs) row[input] = textOf(input);
  return row as RuleRow;
}

const emptyRow = rowOf(() => '');

export function isEmpty(row: RuleRow): boolean {
  return ruleInputs.every((input) => row[input] === '');
}

export function ruleField(index: number, input: RuleInput): string {
  return `rule_${index}_${input}`;
}

/** The rows of a form; undefined if it has none. */
export function rowsIn(fields: Fields | URLSearchParams): RuleRow[] | undefined {
  const rows = Array.from({length: limits.rules}, (_, index) => {
    const entered = (input: RuleInput): string | undefined => fields.get(ruleField(index, input))?.trim();
    if (ruleInputs.every((input) => entered(input) === undefined)) return undefined;
    return rowOf((input) => (input === 'url' ? withScheme(entered(input) ?? '') : (entered(input) ?? '')));
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

/** The conditions whose text may be wrong. */
type WrittenName = NameOf<'place' | 'percent'>;

/** A wrong URL, no condition at all, wrong days, or the condition that is wrong. */
export type RuleMistake = 'url' | 'condition' | 'dates' | WrittenName;

/** The input in which a mistake is corrected. */
export function inputOf(mistake: RuleMistake): RuleInput | undefined {
  if (mistake === 'condition') return conditionNames[0];
  return mistake === 'dates' ? 'from' : mistake;
}

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
  readonly #names: Readonly<Record<PlaceName, Intl.DisplayNames>>;

  constructor(language: PageLanguage) {
    this.#names = {
      language: new Intl.DisplayNames(language, {type: 'language', fallback: 'code'}),
      country: new Intl.DisplayNames(language, {type: 'region', fallback: 'code'}),
    };
    const sorted = (kind: PlaceName, codes: Iterable<string>): string[] =>
      [...codes].map((code) => this.show(kind, code)).toSorted(new Intl.Collator(language).compare);
    this.languages = sorted('language', languageCodes.split(' '));
    this.countries = sorted('country', countries);
  }

  /** `German (de)`; the code alone if it has no name. */
  show(kind: PlaceName, code: string): string {
    if (code === '') return '';
    const name = this.#nameOf(kind, code);
    return name === undefined || name.toLowerCase() === code.toLowerCase() ? code : `${name} (${code})`;
  }

  /** The code in what `show` returned, or in what the user typed: a code or a name. */
  codeOf(kind: PlaceName, text: string): string {
    const known = kind === 'language' ? this.languages : this.countries;
    const shown = known.find((each) => each.toLowerCase().startsWith(`${text.toLowerCase()} (`)) ?? text;
    const code = /\(([\w-]{2,20})\)$/.exec(shown)?.[1] ?? text;
    return kind === 'country' ? code.toUpperCase() : code;
  }

  #nameOf(kind: PlaceName, code: string): string | undefined {
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
    const values = rowOf((input) => (isPlace(input) ? places.codeOf(input, row[input]) : row[input]));
    const mistake = mistakeIn(values);
    if (mistake !== undefined) mistakes.set(index, mistake);
    const given = ruleInputs.map((name) => [name, values[name]] as const).filter(([, value]) => value !== '');
    const share = values.share === '' ? {} : {share: Number(values.share)};
    return [{...Object.fromEntries(given), ...share, url: values.url}];
  });
  return {rules: named(rules), mistakes};
}

/** The rules, of which each with a share has a name, so that what it has counted stays its own if another one goes. */
export function named(rules: readonly Rule[]): Rule[] {
  const letters = Array.from('BCDEFGHIJKLMNOPQRSTU').filter((letter) => rules.every(({name}) => name !== letter));
  return rules.map(({url, ...rule}) => ({...(rule.share !== undefined && {name: letters.shift()}), ...rule, url}));
}

export function isPlace(input: RuleInput): input is PlaceName {
  return input !== 'url' && input !== 'name' && inputs[input].input === 'place';
}

function isWritten(name: ConditionName): name is WrittenName {
  return isPlace(name) || inputs[name].input === 'percent';
}

function isRight(name: WrittenName, value: string): boolean {
  if (name === 'share') return /^[1-9]\d?$/.test(value);
  return name === 'country' ? countryOf(value) !== undefined : new RegExp(inputs[name].pattern).test(value);
}

function mistakeIn(row: RuleRow): RuleMistake | undefined {
  if (!hasScheme(row.url)) return 'url';
  const given = conditionNames.filter((name) => row[name] !== '');
  if (given.length === 0) return 'condition';
  const wrong = given.filter(isWritten).find((name) => !isRight(name, row[name]));
  if (wrong !== undefined) return wrong;
  const {from, until} = row;
  const isDate = (text: string): boolean => text === '' || !Number.isNaN(dayOf(text));
  if (!isDate(from) || !isDate(until) || (from !== '' && until !== '' && from > until)) return 'dates';
  return undefined;
}

/** The rows of existing rules. */
export function rowsOf(rules: readonly Rule[], places: Places): RuleRow[] {
  return named(rules).map((rule) =>
    rowOf((input) => {
      const value = String(rule[input] ?? '');
      return isPlace(input) ? places.show(input, input === 'country' ? value.toUpperCase() : value) : value;
    }),
  );
}

/** Shows whether rules were changed since a form was loaded, without sending them twice. */
export function digestOf(rules: readonly Rule[]): string {
  const values = named(rules).map((rule) => ruleInputs.map((input) => String(rule[input] ?? '')));
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 22);
}

const languageCodes =
  'ar bg bn ca cs da de el en es et eu fa fi fil fr gl gu he hi hr hu id is it ja ka kk kn ko lt lv mk ml mr ms nb nl pa pl pt ro ru sk sl sq sr sv sw ta te th tr uk ur uz vi zh';
