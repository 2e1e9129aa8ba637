import type {Rule} from '../../../link/link.ts';
import {type Fields, isObject} from './json-records.ts';
import type {Note} from '../../../tables/source-link.ts';
import {readText} from '../../../tables/cells.ts';

/** The maximum number of rules of a link. */
const maxRules = 10;

const devices: Readonly<Record<string, Rule['device']>> = {ios: 'ios', android: 'android', desktop: 'desktop'};

/** A link of Shlink's API with its limits, its total and its rules beside the other members. */
export function shlinkMembers(fields: Fields): {readonly members: Fields; readonly notes: readonly Note[]} {
  const {meta, visitsSummary, visitsCount, deviceLongUrls, redirectRules, hasRedirectRules, ...rest} = fields;
  const notes: Note[] = [];
  const rules = readRules({deviceLongUrls, redirectRules, hasRedirectRules}, notes);
  const members = {
    ...rest,
    ...(isObject(meta) && meta),
    // Older versions have the number in another field.
    visits: (isObject(visitsSummary) ? visitsSummary['total'] : undefined) ?? visitsCount,
    rules: rules.length > 0 ? rules : undefined,
    forwardQuery: rest['forwardQuery'] === true ? true : undefined,
  };
  return {members, notes};
}

/**
 * The rules of a link that this site supports, in their order. The API lists them by `redirectRules` if they were added
 * to the file. Shlink 3.5 to 3.7 had a long URL for each kind of device instead.
 */
function readRules(fields: Fields, notes: Note[]): Rule[] {
  const ofDevices = isObject(fields['deviceLongUrls']) ? Object.entries(fields['deviceLongUrls']) : [];
  const listed = Array.isArray(fields['redirectRules']) ? (fields['redirectRules'] as unknown[]) : [];
  const rules = [
    ...ofDevices.flatMap(([device, url]): Array<Rule | undefined> => {
      const long = readText(url);
      return long === undefined ? [] : [{device: devices[device], url: long}];
    }),
    ...listed.map(toRule),
  ];
  const fitting = rules.filter((rule) => rule !== undefined).slice(0, maxRules);
  const isMissing = fields['hasRedirectRules'] === true && listed.length === 0;
  if (isMissing || fitting.length < rules.length) {
    const message =
      'Some redirect rules are not supported. Their visitors go to the destination of another rule or to the long URL.';
    notes.push({code: 'rules_dropped', message});
  }
  return fitting;
}

/** A rule whose conditions are all supported. Without one of them it would match more visitors. */
function toRule(value: unknown): Rule | undefined {
  if (!isObject(value) || !Array.isArray(value['conditions'])) return undefined;
  const url = readText(value['longUrl']);
  const conditions = (value['conditions'] as unknown[]).map(toCondition);
  if (url === undefined || conditions.length === 0) return undefined;
  const rule: Record<string, string> = {};
  for (const condition of conditions) {
    if (condition === undefined || condition[0] in rule) return undefined;
    rule[condition[0]] = condition[1];
  }
  return {...rule, url};
}

function toCondition(value: unknown): readonly [name: string, value: string] | undefined {
  if (!isObject(value)) return undefined;
  const match = readText(value['matchValue']);
  if (match === undefined) return undefined;
  switch (value['type']) {
    case 'device':
      return devices[match] && ['device', match];
    case 'language':
      return ['language', match.replaceAll('_', '-')];
    case 'geolocation-country-code':
      return ['country', match];
    default:
      return undefined;
  }
}
