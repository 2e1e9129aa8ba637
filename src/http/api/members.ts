import {ShortUrlError} from '../../host/errors.ts';
import {formOf} from './forms.ts';
import {checkComplete, type ParameterNames, type Values} from './parameters.ts';

/**
 * Reads the parameters of an operation from a JSON object, in its order.
 *
 * @throws ShortUrlError for the first wrong member, or for a required parameter that is missing
 */
export function readMembers(object: object, names: ParameterNames): Values {
  const known = [...names.required, ...names.optional];
  const values = new Map<string, unknown>();
  for (const [index, [name, value]] of Object.entries(object).entries()) {
    // The message has the position instead of the name, because a caller may have put a password there by mistake.
    if (!known.includes(name)) {
      const expected = known.length === 0 ? 'none' : known.join(', ');
      throw new ShortUrlError(
        'unknown_parameter',
        `Member ${index + 1} of the JSON object is an unknown parameter. Parameters of the operation: ${expected}.`,
      );
    }
    const {holds, expected} = formOf(name);
    const isCleared = value === null && names.nullable?.includes(name) === true;
    if (!isCleared && !holds(value)) {
      throw new ShortUrlError('malformed_parameter', `The parameter \`${name}\` must be ${expected}.`);
    }
    values.set(name, value);
  }
  checkComplete(values, names);
  return values;
}
