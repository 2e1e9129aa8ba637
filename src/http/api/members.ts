import {malformed} from '../../link/readers.ts';
import {formOf} from './forms.ts';
import {checkComplete, type ParameterNames, unknownParameter, type Values} from './parameters.ts';

/**
 * Reads the parameters of an operation from a JSON object, in its order.
 *
 * @throws ShortUrlError for the first wrong member, or for a required parameter that is missing
 */
export function readMembers(object: object, names: ParameterNames): Values {
  const known = [...names.required, ...names.optional];
  const values = new Map<string, unknown>();
  for (const [name, value] of Object.entries(object)) {
    if (!known.includes(name)) throw unknownParameter(name, known);
    const {holds, expected} = formOf(name);
    const isCleared = value === null && names.nullable?.includes(name) === true;
    if (!isCleared && !holds(value)) {
      throw malformed(`The parameter \`${name}\` must be ${expected}.`);
    }
    values.set(name, value);
  }
  checkComplete(values, names);
  return values;
}
