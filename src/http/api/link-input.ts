import {ShortUrlError} from '../../host/errors.ts';
import type {CreateLink, UpdateLink} from '../../links/link.ts';
import type {Parameters} from './parameters.ts';

const updateNames = {
  url: 'url',
  password: 'password',
  expiry_date: 'expiryDate',
  title: 'title',
  tags: 'tags',
  max_visits: 'maxVisits',
} as const satisfies Record<string, keyof UpdateLink>;

const creationNames = {
  url: 'url',
  custom_url: 'customUrl',
  password: 'password',
  expiry_date: 'expiryDate',
  base_domain: 'baseDomain',
  title: 'title',
  tags: 'tags',
  max_visits: 'maxVisits',
} as const satisfies Record<string, keyof CreateLink>;

/** Everything but the long URL, which every link needs. */
const clearable: readonly string[] = Object.keys(updateNames).filter((name) => name !== 'url');

/** The parameters of `create` besides `url`. */
export const creationOptions: readonly string[] = Object.keys(creationNames).filter((name) => name !== 'url');

/** The parameters of `update` besides `short_url`. */
export const updateOptions: readonly string[] = [...Object.keys(updateNames), 'clear'];

type Change = readonly [name: string, value: unknown];

/** Keeps the order of the path, because the error of the first invalid parameter is reported. */
export function toCreateLink(parameters: Parameters): CreateLink {
  return toInput(Array.from(parameters, toChange), creationNames) as unknown as CreateLink;
}

/**
 * Keeps the order of the path, because the error of the first invalid parameter is reported.
 *
 * @throws ShortUrlError `missing_parameter` if there is no change, `malformed_parameter` if `clear` names something
 *   that cannot be cleared, that is named twice, or that the path also gives a value
 */
export function toUpdateLink(parameters: Parameters): UpdateLink {
  const given = Array.from(parameters).filter(([name]) => updateOptions.includes(name));
  if (given.length === 0) {
    const message = `There is nothing to change: the path needs one or more of ${updateOptions.join(', ')}.`;
    throw new ShortUrlError('missing_parameter', message);
  }
  const changes = given.flatMap(([name, value]) => (name === 'clear' ? toCleared(value) : [toChange([name, value])]));
  const names = changes.map(([name]) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    throw malformed(`Give the parameter \`${repeated}\` only once, with a value or in \`clear\`.`);
  }
  return toInput(changes, updateNames);
}

function toInput(changes: readonly Change[], names: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(changes.map(([name, value]): Change => [names[name] ?? '', value]));
}

function toCleared(value: string): Change[] {
  const names = value.split(',');
  if (names.every((name) => clearable.includes(name))) return names.map((name) => [name, null]);
  throw malformed(`The parameter \`clear\` takes names among ${clearable.join(', ')}, separated by commas.`);
}

function toChange([name, value]: readonly [name: string, value: string]): Change {
  if (name === 'tags') return [name, value.split(',')];
  return [name, name === 'max_visits' ? toInteger(value) : value];
}

/** NaN, which is outside all bounds, if the text is not all digits. */
export function toInteger(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

function malformed(message: string): ShortUrlError {
  return new ShortUrlError('malformed_parameter', message);
}
