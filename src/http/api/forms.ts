import {fieldNames, fields} from '../../link/fields.ts';
import {boolean, type Form, integer, list, text} from '../../link/forms.ts';

const many: Form = {
  expected: 'a list of 1 to 1,000 objects',
  holds: (value) => Array.isArray(value) && value.length >= 1 && value.length <= 1000,
};

/** The parameters that are no plain text. */
const forms: ReadonlyMap<string, Form> = new Map([
  ...fieldNames.map((name) => [fields[name].parameter, fields[name].form ?? text] as const),
  ['clear', list],
  ['add_tags', list],
  ['remove_tags', list],
  ['reuse', boolean],
  ['limit', integer],
  ['value', integer],
  ['size', integer],
  ['links', many],
  ['changes', many],
]);

export function formOf(parameter: string): Form {
  return forms.get(parameter) ?? text;
}
