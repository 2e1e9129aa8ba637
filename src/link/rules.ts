import {countryOf} from '../values/countries.ts';
import {isObject} from '../values/describe.ts';
import {readMembers} from '../values/input.ts';
import {listOf} from '../values/objects.ts';
import {malformed, readAs, reader, type Reader, type Shape, shapeOf} from '../values/shape.ts';
import {anyText, choice, day, patterned, text} from '../values/shapes.ts';
import type {Rule} from './link.ts';
import {parseDate} from './dates.ts';
import {longUrl, openUrl, parseLongUrl} from './long-url.ts';

export const maxRules = 10;

/** What conditions can ask about a visitor. Nothing is worked out before a condition asks for it. */
export interface RuleVisitor {
  readonly device: () => string | undefined;
  /** The preferred language, as a tag. */
  readonly language: () => string | undefined;
  /** A detail of the visit. */
  readonly detail: (name: string) => string | undefined;
  /** The day, `yyyy-mm-dd`, in the site's time zone. */
  readonly today: () => string;
}

/** How the dashboard's form takes a value: from a list, as the name or code of a place or language, as a day or a text. */
type ConditionInput = 'choice' | 'place' | 'day' | 'text';

interface Condition {
  readonly shape: Shape;
  /** What it compares, for people. */
  readonly sentence: string;
  /** @param rule names the rule in messages */
  readonly reader: (rule: string) => Reader<string>;
  readonly input: ConditionInput;
  /** What it compares with; undefined if that is not known. */
  readonly of: (visitor: RuleVisitor) => string | undefined;
  readonly matches: (value: string, found: string) => boolean;
  /** The request header on which it depends. */
  readonly header?: string;
  /** Whether it asks for details of the visit, for which the host may have to be asked. */
  readonly needsDetails?: true;
}

const device = choice(['ios', 'android', 'desktop']);

/** The conditions of a rule. */
export const conditions: Readonly<Record<Exclude<keyof Rule, 'url'>, Condition>> = {
  device: {
    shape: device,
    sentence: 'Detected from the `User-Agent`.',
    reader: (rule) => reader(device, `device of ${rule}`),
    input: 'choice',
    of: (visitor) => visitor.device(),
    matches: (value, found) => value === found,
    header: 'User-Agent',
  },
  language: {
    shape: patterned('^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$'),
    sentence: "The visitor's preferred language, such as `pt-BR`, or `de`, which includes `de-AT`.",
    reader: (rule) =>
      readAs(text, (tag) => {
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
    reader: (rule) =>
      readAs(text, (code) => {
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
    reader: (rule) => readAs(text, (date) => readDay(date, `first day of ${rule}`)),
    input: 'day',
    of: (visitor) => visitor.today(),
    matches: (value, today) => value <= today,
  },
  until: {
    shape: day,
    sentence: "The last day, `yyyy-mm-dd`, in the site's time zone.",
    reader: (rule) => readAs(text, (date) => readDay(date, `last day of ${rule}`)),
    input: 'day',
    of: (visitor) => visitor.today(),
    matches: (value, today) => value >= today,
  },
};

type ConditionName = keyof typeof conditions;

const conditionNames = Object.keys(conditions) as readonly ConditionName[];

/** The conditions that some of the rules have. */
export function conditionsIn(rules: readonly Rule[]): ConditionName[] {
  return conditionNames.filter((name) => rules.some((rule) => rule[name] !== undefined));
}

/**
 * The first rule that matches a visitor.
 *
 * @param names the conditions that the rules have
 */
export function matchingRule(
  rules: readonly Rule[],
  names: readonly ConditionName[],
  visitor: RuleVisitor,
): Rule | undefined {
  const found = names.map((name) => conditions[name].of(visitor));
  return rules.find((rule) =>
    names.every((name, index) => {
      const value = rule[name];
      const actual = found[index];
      return value === undefined || (actual !== undefined && conditions[name].matches(value, actual));
    }),
  );
}

const aRule = shapeOf<Rule>({
  expected: 'an object of strings with a URL to which visitors may be sent in `url`',
  schema: {
    title: 'Rule',
    type: 'object',
    properties: {
      ...Object.fromEntries(
        Object.entries(conditions).map(([name, {shape, sentence}]) => [name, {description: sentence, ...shape.schema}]),
      ),
      url: {description: 'The long URL for these visitors.', ...longUrl.schema},
    },
    required: ['url'],
    minProperties: 2,
    additionalProperties: false,
  },
  holds: (rule) =>
    isObject(rule) && openUrl.holds(rule['url']) && Object.values(rule).every((value) => anyText.holds(value)),
});

/** The rules of a link. What is given is read by `readRules`. */
export const ruleList: Shape<readonly Rule[]> = {
  ...listOf(aRule, maxRules),
  bounds: `at most ${maxRules}`,
  isEncoded: true,
};

/**
 * The rules, without conditions that are undefined.
 *
 * @throws ShortUrlError `malformed_parameter`, or `invalid_url` for the URL of a rule
 */
export function readRules(value: unknown, schemes?: ReadonlySet<string>): readonly Rule[] {
  if (!Array.isArray(value) || value.length > maxRules) {
    throw malformed(`The rules must be an array of at most ${maxRules}.`);
  }
  return value.map((rule, index) => readRule(rule, index + 1, schemes));
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

/** @param rule names the rule in messages */
function readersOf(rule: string, schemes?: ReadonlySet<string>): Readonly<Record<string, Reader<string>>> {
  return {
    ...Object.fromEntries(conditionNames.map((name) => [name, conditions[name].reader(rule)])),
    url: readAs(text, (long) => parseLongUrl(long, `long URL of ${rule}`, schemes).url),
  };
}

/** @param number its position, from 1 */
function readRule(value: unknown, number: number, schemes: ReadonlySet<string> | undefined): Rule {
  if (!isObject(value) || Array.isArray(value)) throw malformed(`Rule ${number} must be an object.`);
  // An unknown condition must not be ignored, because the rule would match more visitors than its owner intended.
  const {url, ...given} = readMembers(value, `Rule ${number} is made of`, readersOf(`rule ${number}`, schemes));
  if (url === undefined) throw malformed(`Rule ${number} must have a long URL in \`url\`.`);
  if (Object.keys(given).length === 0) {
    throw malformed(`Rule ${number} must have a condition: one or more of ${conditionNames.join(', ')}.`);
  }
  if ((given['from'] ?? '') > (given['until'] ?? '9')) {
    throw malformed(`The last day of rule ${number} must not be before its first.`);
  }
  // In one order, as the XML of the API has them.
  const names = conditionNames.filter((name) => name in given);
  return {...Object.fromEntries(names.map((name) => [name, given[name]])), url};
}
