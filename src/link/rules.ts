import {countryOf} from '../values/countries.ts';
import {planted} from '../planted.ts';
import {isObject} from '../values/describe.ts';
import {malformed, readAs, type Reader, reader, readMembers} from '../values/input.ts';
import {anyText, choice, day, integer, line, patterned, type Shape, shapeOf, text} from '../values/shape.ts';
import {listOf} from '../values/objects.ts';
import type {Rule} from './link.ts';
import {parseDate} from '../values/calendar.ts';
import {longUrl, openUrl, parseLongUrl} from './long-url.ts';

export const maxRules = 10;

/** What the link's own URL is called among its variants. */
export const ownVariant = 'A';
/** Visitors whom the host's `destination` has sent elsewhere. */
export const otherVariant = 'other';

/** What draws one of several variants for a visitor. */
export interface Lot {
  /** At least 0, and less than 100. It is the same for each visit. */
  readonly draw: number;
  /** The variant that the visitor has seen before, if that is known. */
  readonly kept: string | undefined;
}

/** What conditions can ask about a visitor. Nothing is worked out before a condition asks for it. */
export interface RuleVisitor {
  readonly device: () => string | undefined;
  /** The preferred language, as a tag. */
  readonly language: () => string | undefined;
  readonly detail: (name: string) => string | undefined;
  /** The day, `yyyy-mm-dd`, in the site's time zone. */
  readonly today: () => string;
}

/** How the dashboard's form takes a value: from a list, as the name or code of a place or language, as a day, or as a percentage. */
type ConditionInput = 'choice' | 'place' | 'day' | 'percent';

interface Condition {
  readonly shape: Shape;
  readonly sentence: string;
  /** @param rule names the rule in messages */
  readonly read: Reader<string | number, [rule: string]>;
  readonly input: ConditionInput;
  /** What it compares with; undefined if that is not known. */
  readonly of: (visitor: RuleVisitor) => string | undefined;
  readonly matches: (value: string, found: string) => boolean;
  readonly header?: string;
  /** Whether it asks for details of the visit, for which the host may have to be asked. */
  readonly needsDetails?: true;
}

const share = integer(1, 99, 'percent');
const ruleName = line(32);
const readText = reader(text);
const device = choice(['ios', 'android', 'desktop']);

export const conditions: Readonly<Record<Exclude<keyof Rule, 'url' | 'name'>, Condition>> = {
  device: {
    shape: device,
    sentence: 'Detected from the `User-Agent`.',
    read: (value, name, rule) => reader(device, `device of ${rule}`)(value, name),
    input: 'choice',
    of: (visitor) => visitor.device(),
    matches: (value, found) => value === found,
    header: 'User-Agent',
  },
  language: {
    shape: patterned('^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$'),
    sentence: "The visitor's preferred language, such as `pt-BR`, or `de`, which includes `de-AT`.",
    read: readAs(text, (tag, rule) => {
      if (/^[a-z]{2,3}(?:-[a-z\d]{2,8}){0,2}$/i.test(tag)) return tag;
      throw malformed(`The language of ${rule} must be a tag such as \`de\` or \`pt-BR\`.`);
    }),
    input: 'place',
    of: (visitor) => visitor.language(),
    // `de-AT` is in `de`.
    matches: (value, found) => `${found}-`.toLowerCase().startsWith(`${value}-`.toLowerCase()),
    header: 'Accept-Language',
  },
  country: {
    shape: patterned('^[A-Za-z]{2}$'),
    sentence:
      'The two letters of a country, such as `DE`; `UK` means `GB`. Compared with the visit detail `country`, which the site provides.',
    read: readAs(text, (code, rule) => {
      const country = countryOf(code);
      if (country !== undefined) return code.toUpperCase() === country ? code : country;
      throw malformed(`The country of ${rule} must be the two letters of a country, such as \`DE\`.`);
    }),
    input: 'place',
    of: (visitor) => visitor.detail('country'),
    matches: (value, found) => value.toUpperCase() === found.toUpperCase(),
    needsDetails: true,
  },
  from: {
    shape: day,
    sentence: "The first day, `yyyy-mm-dd`, in the site's time zone.",
    read: readAs(text, (date, rule) => readDay(date, `first day of ${rule}`)),
    input: 'day',
    of: (visitor) => visitor.today(),
    matches: (value, today) => value <= today,
  },
  until: {
    shape: day,
    sentence: "The last day, `yyyy-mm-dd`, in the site's time zone.",
    read: readAs(text, (date, rule) => readDay(date, `last day of ${rule}`)),
    input: 'day',
    of: (visitor) => visitor.today(),
    matches: (value, today) => (planted('last-day-excluded') ? value > today : value >= today),
  },
  share: {
    shape: share,
    sentence:
      'How many percent of the visitors who meet the other conditions get the URL, 1 to 99. The others go on to the next rule. A visitor always gets the same URL.',
    read: (value, name, rule) => reader(share, `share of ${rule}`)(value, name),
    input: 'percent',
    // Everybody may get it. `matchingRule` draws.
    of: () => '',
    matches: () => true,
    header: 'User-Agent',
  },
};

type ConditionName = keyof typeof conditions;

const conditionNames = Object.keys(conditions) as readonly ConditionName[];

export function conditionsIn(rules: readonly Rule[]): ConditionName[] {
  return conditionNames.filter((name) => rules.some((rule) => rule[name] !== undefined));
}

/**
 * The rule for a visitor: the first that matches and has no share, unless one with a share before it gets the visitor.
 *
 * @param names the conditions that the rules have
 * @param lot needed if one of them is a share
 */
export function matchingRule(
  rules: readonly Rule[],
  names: readonly ConditionName[],
  visitor: RuleVisitor,
  lot?: Lot,
): Rule | undefined {
  const found = names.map((name) => conditions[name].of(visitor));
  const fits = (rule: Rule): boolean =>
    names.every((name, index) => {
      const value = rule[name];
      const actual = found[index];
      return value === undefined || (actual !== undefined && conditions[name].matches(String(value), actual));
    });
  const last = rules.find((rule) => rule.share === undefined && fits(rule));
  if (lot === undefined || !names.includes('share')) return last;
  const shared = rules.slice(0, last && rules.indexOf(last)).filter((rule) => rule.share !== undefined && fits(rule));
  const variants = variantsOf(rules);
  const kept = [...shared, last].findIndex((rule) => variantOf(rule, rules, variants) === lot.kept);
  if (kept >= 0 && !planted('variant-drawn-again')) return [...shared, last][kept];
  let taken = 0;
  return shared.find((rule) => (taken += rule.share ?? 0) > lot.draw) ?? last;
}

/** What a record has of rules. From the first one with a share or a name on, visits are counted by variant. */
export function storedRules(rules: readonly Rule[] = [], before: {readonly isSplit?: true | undefined} | number) {
  const hasVariants = rules.some((rule) => rule.share !== undefined || rule.name !== undefined);
  const wasSplit = typeof before === 'object' ? before.isSplit : undefined;
  return {rules: rules.length === 0 ? undefined : rules, isSplit: hasVariants ? (true as const) : wasSplit};
}

/** What rules are called as variants: by their names, or by letters from `B` on, first those with a share. */
export function variantsOf(rules: readonly Rule[]): string[] {
  const given = rules.map(({name}) => name);
  const letters = Array.from('BCDEFGHIJKLMNOPQRSTUVWXYZ').filter((letter) => !given.includes(letter));
  const unnamed = rules.filter(({name}) => name === undefined);
  const ordered = [...unnamed.filter((rule) => rule.share), ...unnamed.filter((rule) => !rule.share)];
  return rules.map((rule) => rule.name ?? letters[ordered.indexOf(rule)] ?? otherVariant);
}

/** @param rule undefined for the link's own URL */
export function variantOf(rule: Rule | undefined, rules: readonly Rule[], variants = variantsOf(rules)): string {
  return rule === undefined ? ownVariant : (variants[rules.indexOf(rule)] ?? otherVariant);
}

export const nameSentence =
  "What the rule is called in statistics: 1 to 32 characters, unique in the link, and neither `A`, which is the link's own URL, nor `other`. By default `B`, `C` and so on.";

const aRule = shapeOf<Rule>({
  expected: 'an object of strings and a share, with a URL to which visitors may be sent in `url`',
  schema: {
    title: 'Rule',
    type: 'object',
    properties: {
      ...Object.fromEntries(
        Object.entries(conditions).map(([name, {shape, sentence}]) => [name, {description: sentence, ...shape.schema}]),
      ),
      name: {description: nameSentence, ...ruleName.schema},
      url: {description: 'The long URL for these visitors.', ...longUrl.schema},
    },
    required: ['url'],
    minProperties: 2,
    additionalProperties: false,
  },
  holds: (rule) =>
    isObject(rule) &&
    openUrl.holds(rule['url']) &&
    Object.entries(rule).every(([name, value]) => (name === 'share' ? share : anyText).holds(value)),
});

/** The rules of a link. What is given is read by `readRules`. */
export const ruleList: Shape<readonly Rule[]> = {
  ...listOf(aRule, maxRules),
  bounds: `at most ${maxRules}`,
  isEncoded: true,
};

/** @throws ShortUrlError `malformed_parameter`, or `invalid_url` for the URL of a rule */
export function readRules(value: unknown, schemes?: ReadonlySet<string>): readonly Rule[] {
  if (!Array.isArray(value) || value.length > maxRules) {
    throw malformed(`The rules must be an array of at most ${maxRules}.`);
  }
  const rules = value.map((rule, index) => readRule(rule, index + 1, schemes));
  const names = rules.flatMap(({name}) => name ?? []);
  if (new Set([...names, ownVariant, otherVariant]).size < names.length + 2) {
    throw malformed(`The name of a rule must be unique in the link, and neither ${ownVariant} nor ${otherVariant}.`);
  }
  if (mostShared(rules.filter((rule) => rule.share !== undefined)) <= 100) return rules;
  throw malformed('The shares of rules that can match the same visitor must be at most 100 in total.');
}

/** How many percent of the visitors whom all of them fit the rules take at most. */
function mostShared([first, ...others]: readonly Rule[]): number {
  if (first === undefined) return 0;
  const beside = others.filter((other) => canFitTogether(first, other));
  return Math.max(mostShared(others), (first.share ?? 0) + mostShared(beside));
}

/** Whether a visitor can meet the conditions of two rules. Of several rules this is so if it is of each two. */
function canFitTogether(one: Rule, other: Rule): boolean {
  const areApart = (['device', 'language', 'country'] as const).some((name) => {
    const [a, b] = [one[name], other[name]];
    const {matches} = conditions[name];
    return a !== undefined && b !== undefined && !matches(a, b) && !matches(b, a);
  });
  const isBefore = ({until = '9'}: Rule, {from = ''}: Rule): boolean => until < from;
  return !areApart && !isBefore(one, other) && !isBefore(other, one);
}

/** The URLs of rules, which may be anything yet. A link with more rules is refused. */
export function urlsOfRules(rules: unknown): ReadonlyArray<readonly [url: unknown, what: string]> {
  const some: readonly unknown[] = Array.isArray(rules) ? rules.slice(0, maxRules) : [];
  return some.map((rule, index) => [isObject(rule) ? rule['url'] : undefined, `long URL of rule ${index + 1}`]);
}

function readDay(date: string, what: string): string {
  if (parseDate(date) !== undefined) return date;
  throw malformed(`The ${what} must be a valid date in the form yyyy-mm-dd.`);
}

type RuleReader = Reader<string | number, [rule: string, schemes: ReadonlySet<string> | undefined]>;

const readers: Readonly<Record<string, RuleReader>> = {
  ...Object.fromEntries(conditionNames.map((name) => [name, conditions[name].read])),
  name: (value, name, rule) => reader(ruleName, `name of ${rule}`)(value, name),
  url: (value, name, rule, schemes) => parseLongUrl(readText(value, name), `long URL of ${rule}`, schemes).url,
};

/** @param number its position, from 1 */
function readRule(value: unknown, number: number, schemes: ReadonlySet<string> | undefined): Rule {
  if (!isObject(value) || Array.isArray(value)) throw malformed(`Rule ${number} must be an object.`);
  // An unknown condition must not be ignored, because the rule would match more visitors than its owner intended.
  const action = `Rule ${number} is made of`;
  const {url, name, ...given} = readMembers(value, action, readers, `rule ${number}`, schemes);
  if (url === undefined) throw malformed(`Rule ${number} must have a long URL in \`url\`.`);
  if (Object.keys(given).length === 0) {
    throw malformed(`Rule ${number} must have a condition: one or more of ${conditionNames.join(', ')}.`);
  }
  if (String(given['from'] ?? '') > String(given['until'] ?? '9')) {
    throw malformed(`The last day of rule ${number} must not be before its first.`);
  }
  // In one order, as the XML of the API has them.
  const names = conditionNames.filter((condition) => condition in given);
  const present = names.map((condition) => [condition, given[condition]] as const);
  return {
    ...(Object.fromEntries(present) as Partial<Rule>),
    ...(name !== undefined && {name: String(name)}),
    url: String(url),
  };
}
