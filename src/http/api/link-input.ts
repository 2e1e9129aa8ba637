import {ShortUrlError} from '../../host/errors.ts';
import type {CreateLink, UpdateLink} from '../../links/link.ts';
import type {Values} from './parameters.ts';

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
export const clearable: readonly string[] = Object.keys(updateNames).filter((name) => name !== 'url');

/** The parameters of `create` besides `url`. */
export const creationOptions: readonly string[] = Object.keys(creationNames).filter((name) => name !== 'url');

/** The parameters of `update` besides `short_url`. */
export const updateOptions: readonly string[] = [...Object.keys(updateNames), 'clear'];

type Change = readonly [name: string, value: unknown];

/** Keeps the order of the values, because the error of the first invalid one is reported. */
export function toCreateLink(values: Values): CreateLink {
  return toInput(Array.from(values), creationNames) as unknown as CreateLink;
}

/**
 * Keeps the order of the values, because the error of the first invalid one is reported.
 *
 * @throws ShortUrlError `missing_parameter` if there is no change, `malformed_parameter` if `clear` names something
 *   that cannot be cleared, that is named twice, or that is also given a value
 */
export function toUpdateLink(values: Values): UpdateLink {
  const given = Array.from(values).filter(([name]) => updateOptions.includes(name));
  if (given.length === 0) {
    const message = `There is nothing to change: give one or more of ${updateOptions.join(', ')}.`;
    throw new ShortUrlError('missing_parameter', message);
  }
  const changes = given.flatMap(([name, value]): Change[] => (name === 'clear' ? toCleared(value) : [[name, value]]));
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

function toCleared(value: unknown): Change[] {
  const names = value as readonly string[];
  if (names.length > 0 && names.every((name) => clearable.includes(name))) return names.map((name) => [name, null]);
  throw malformed(`The parameter \`clear\` takes names among ${clearable.join(', ')}.`);
}

function malformed(message: string): ShortUrlError {
  return new ShortUrlError('malformed_parameter', message);
}
