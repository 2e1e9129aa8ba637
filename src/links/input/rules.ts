import {ShortUrlError} from '../../host/errors.ts';
import type {Rule} from '../link.ts';
import {parseDate} from './dates.ts';
import {parseLongUrl} from './long-url.ts';
import {malformed, type Reader, readFields, text} from './readers.ts';

const maxRules = 10;

/**
 * The rules, without conditions that are undefined.
 *
 * @throws ShortUrlError `malformed_parameter`, or `invalid_url` for the URL of a rule
 */
export function readRules(value: unknown): readonly Rule[] {
  if (!Array.isArray(value) || value.length > maxRules) {
    throw malformed(`The rules must be an array of at most ${maxRules}.`);
  }
  return value.map(readRule);
}

const conditions: Readonly<Record<string, Reader<string>>> = {
  device: (value) => {
    if (value === 'ios' || value === 'android' || value === 'desktop') return value;
    throw malformed('The device of a rule must be `ios`, `android` or `desktop`.');
  },
  language: text((tag) => {
    if (/^[a-z]{2,3}(?:-[a-z\d]{2,8}){0,2}$/i.test(tag)) return tag;
    throw malformed('The language of a rule must be a tag such as `de` or `pt-BR`.');
  }),
  country: text((code) => {
    if (/^[a-z]{2}$/i.test(code)) return code;
    throw malformed('The country of a rule must be two letters, such as `DE`.');
  }),
  from: text((date) => (parseDate(date) === undefined ? malformedDate('first day of a rule') : date)),
  until: text((date) => (parseDate(date) === undefined ? malformedDate('last day of a rule') : date)),
};

const names = [...Object.keys(conditions), 'url'];

function readRule(value: unknown): Rule {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed('Each rule must be an object.');
  const url = text((long) => parseLongUrl(long).url);
  const rule = readRuleFields(value, {...conditions, url});
  if (rule['url'] === undefined) throw malformed('Each rule must have a long URL: give it as `url`.');
  if (Object.keys(rule).length === 1) {
    throw malformed(`Each rule must have a condition: one or more of ${Object.keys(conditions).join(', ')}.`);
  }
  if ((rule['from'] ?? '') > (rule['until'] ?? '9'))
    throw malformed('The last day of a rule must not be before its first.');
  // In one order, as the XML of the API has them.
  return Object.fromEntries(names.filter((name) => name in rule).map((name) => [name, rule[name]])) as unknown as Rule;
}

/** An unknown condition must not be ignored, because the rule would fit more visitors than its owner meant. */
function readRuleFields(
  value: object,
  readers: Readonly<Record<string, Reader<string>>>,
): Record<string, string | undefined> {
  try {
    return readFields(value, 'A rule is made of', readers);
  } catch (error) {
    if (error instanceof ShortUrlError && error.code === 'unknown_parameter') throw malformed(error.message);
    throw error;
  }
}

function malformedDate(what: string): never {
  throw malformed(`The ${what} must be a real date in the form yyyy-mm-dd.`);
}
