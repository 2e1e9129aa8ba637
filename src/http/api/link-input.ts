import {ShortUrlError} from '../../errors.ts';
import type {CreateLink, LinkChange, StatusChange, UpdateLink} from '../../link/link.ts';
import {malformed} from '../../values/input.ts';
import {codeNameOf} from './answer-fields.ts';
import {changeParameters, clearable} from './known-parameters.ts';
import type {Values} from './operation.ts';

/** The parameters of `update` besides `short_url`. */
const updateOptions = Object.keys(changeParameters);

type Change = readonly [parameter: string, value: unknown];

/** Keeps the order of the values, because the error of the first invalid one is reported. */
export function toCreateLink(values: Values): CreateLink {
  return {...toInput(Array.from(values)), url: values.get('url') as string};
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
    const message = `No change was given. Pass one or more of ${updateOptions.join(', ')}.`;
    throw new ShortUrlError('missing_parameter', message);
  }
  const changes = given.flatMap(([name, value]): Change[] => (name === 'clear' ? toCleared(value) : [[name, value]]));
  const names = changes.map(([name]) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    throw malformed(`Give the parameter \`${repeated}\` only once, with a value or in \`clear\`.`);
  }
  return toInput(changes);
}

/**
 * A change of `update_many`: of fields, or of the status.
 *
 * @throws ShortUrlError as `toUpdateLink`
 */
export function toLinkChange(values: Values): LinkChange {
  const status = values.get('status') as StatusChange['status'] | undefined;
  const hasFields = updateOptions.some((name) => values.has(name));
  const changes = status === undefined || hasFields ? toUpdateLink(values) : {};
  return {shortUrl: values.get('short_url') as string, changes: status === undefined ? changes : {...changes, status}};
}

/** The conditions and the part of a list. Keeps the order of the values. */
export function toQuery(values: Values): Record<string, unknown> {
  return Object.fromEntries(Array.from(values, ([name, value]) => [codeNameOf(name), value]));
}

function toInput(changes: readonly Change[]): Record<string, unknown> {
  return Object.fromEntries(changes.map(([name, value]): Change => [codeNameOf(name), value]));
}

function toCleared(value: unknown): Change[] {
  const names = value as readonly string[];
  if (names.length > 0 && names.every((name) => clearable.includes(name))) return names.map((name) => [name, null]);
  throw malformed(`The parameter \`clear\` takes names among ${clearable.join(', ')}.`);
}
