import {readText} from '../../../tables/cells.ts';
import {isMembers} from '../../../values/objects.ts';
import type {Fields} from './json-records.ts';

/** The conditions of rules that links here have too. */
const conditions: ReadonlyMap<unknown, {readonly name: string; readonly values?: readonly string[]}> = new Map([
  ['device', {name: 'device', values: ['ios', 'android', 'desktop']}],
  ['language', {name: 'language'}],
  ['geolocation-country-code', {name: 'country'}],
]);

/**
 * A link of Shlink's API with its limits, its total and its rules beside the other members. The API lists the rules by
 * `redirectRules` if they were added to the file. Shlink 3.5 to 3.7 had a long URL for each kind of device instead. An import
 * leaves out the rules that links here cannot have.
 */
export function shlinkMembers(fields: Fields): Fields {
  const {meta, visitsSummary, visitsCount, deviceLongUrls, redirectRules, hasRedirectRules, ...rest} = fields;
  const ofDevices = isMembers(deviceLongUrls) ? Object.entries(deviceLongUrls) : [];
  const listed = Array.isArray(redirectRules) ? (redirectRules as unknown[]) : [];
  const rules = [
    ...ofDevices.flatMap(([device, url]) => (readText(url) === undefined ? [] : [{device, url}])),
    ...listed.map(toRule),
    ...(hasRedirectRules === true && listed.length === 0 ? ['rules that are not in the file'] : []),
  ];
  return {
    ...rest,
    ...(isMembers(meta) && meta),
    // Older versions have the number in another field.
    visits: (isMembers(visitsSummary) ? visitsSummary['total'] : undefined) ?? visitsCount,
    rules: rules.length > 0 ? rules : undefined,
    forwardQuery: rest['forwardQuery'] === true ? true : undefined,
  };
}

/** Without one of its conditions a rule would match more visitors, so an unsupported one stays, and no link can have it. */
function toRule(value: unknown): unknown {
  if (!isMembers(value) || !Array.isArray(value['conditions'])) return value;
  const rule: Record<string, unknown> = {url: value['longUrl']};
  for (const condition of value['conditions'] as unknown[]) {
    const {type, matchValue} = Object(condition) as Fields;
    const match = readText(matchValue) ?? '';
    const {name, values = [match]} = conditions.get(type) ?? {name: 'unsupported'};
    rule[name in rule || !values.includes(match) ? 'unsupported' : name] = match.replaceAll('_', '-');
  }
  return rule;
}
