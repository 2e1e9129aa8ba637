import {isObject} from '../host/describe.ts';
import {ShortUrlError} from '../host/errors.ts';
import type {Rule} from './link.ts';
import {parseDate} from './dates.ts';
import {parseLongUrl} from './long-url.ts';
import {malformed, type Reader, readFields, text} from './readers.ts';

export const maxRules = 10;

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

/** @param rule names the rule in messages */
function readersOf(rule: string, schemes?: ReadonlySet<string>): Readonly<Record<keyof Rule, Reader<string>>> {
  const day = (which: string) => (date: string) => {
    if (parseDate(date) !== undefined) return date;
    throw malformed(`The ${which} day of ${rule} must be a valid date in the form yyyy-mm-dd.`);
  };
  return {
    device: (value) => {
      if (value === 'ios' || value === 'android' || value === 'desktop') return value;
      throw malformed(`The device of ${rule} must be \`ios\`, \`android\` or \`desktop\`.`);
    },
    language: text((tag) => {
      if (/^[a-z]{2,3}(?:-[a-z\d]{2,8}){0,2}$/i.test(tag)) return tag;
      throw malformed(`The language of ${rule} must be a tag such as \`de\` or \`pt-BR\`.`);
    }),
    country: text((code) => {
      if (/^[a-z]{2}$/i.test(code)) return code;
      throw malformed(`The country of ${rule} must be two letters, such as \`DE\`.`);
    }),
    from: text(day('first')),
    until: text(day('last')),
    url: text((long) => parseLongUrl(long, `long URL of ${rule}`, schemes).url),
  };
}

/** @param number its position, from 1 */
function readRule(value: unknown, number: number, schemes: ReadonlySet<string> | undefined): Rule {
  if (!isObject(value) || Array.isArray(value)) throw malformed(`Rule ${number} must be an object.`);
  const readers = readersOf(`rule ${number}`, schemes);
  const names = Object.keys(readers) as Array<keyof Rule>;
  const rule = readRuleFields(value, number, readers);
  if (rule.url === undefined) throw malformed(`Rule ${number} must have a long URL in \`url\`.`);
  if (Object.keys(rule).length === 1) {
    const conditions = names.filter((name) => name !== 'url').join(', ');
    throw malformed(`Rule ${number} must have a condition: one or more of ${conditions}.`);
  }
  if ((rule.from ?? '') > (rule.until ?? '9')) {
    throw malformed(`The last day of rule ${number} must not be before its first.`);
  }
  // In one order, as the XML of the API has them.
  const given = names.filter((name) => name in rule);
  return Object.fromEntries(given.map((name) => [name, rule[name]])) as unknown as Rule;
}

/** An unknown condition must not be ignored, because the rule would match more visitors than its owner intended. */
function readRuleFields(value: object, number: number, readers: ReturnType<typeof readersOf>) {
  try {
    return readFields(value, `Rule ${number} is made of`, readers);
  } catch (error) {
    if (error instanceof ShortUrlError && error.code === 'unknown_parameter') throw malformed(error.message);
    throw error;
  }
}
