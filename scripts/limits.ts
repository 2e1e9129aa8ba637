import {keyLabel, maxKeys} from '../src/accounts/keys.ts';
import {reasonLine} from '../src/link/broken.ts';
import {maxCounted} from '../src/link/counters.ts';
import {fields, givenNames, tagList} from '../src/link/fields.ts';
import {conditions} from '../src/link/rules.ts';
import {shortPart} from '../src/link/short-part.ts';
import {searchText} from '../src/links/read/query.ts';
import {maxDays} from '../src/links/stats/visit-stats.ts';

/** The text of `src/dashboard/generated/limits.ts`: the bounds of what its forms take, by the names of the API, and the inputs of rules. */
export function limitsOfForms(): string {
  const ofFields = givenNames.flatMap((name) => {
    const {maxLength, maxItems, maximum} = fields[name].shape.schema;
    const max = maximum ?? maxItems ?? maxLength;
    return max === undefined ? [] : [[fields[name].parameter, max] as const];
  });
  const limits = {
    ...Object.fromEntries(ofFields),
    custom_url: shortPart.max,
    tag: tagList.maxItem,
    search: searchText.schema.maxLength,
    reason: reasonLine.max,
    label: keyLabel.max,
    keys: maxKeys,
    days: maxDays,
    name: maxCounted,
  };
  const inputs = Object.entries(conditions).map(([name, {input, shape}]) => {
    const {enum: choices = [], pattern = ''} = shape.schema;
    return [name, {input, choices, pattern}] as const;
  });
  const constant = (name: string, value: object): string =>
    `export const ${name} = ${JSON.stringify(value)} as const;\n`;
  return constant('limits', limits) + constant('conditions', Object.fromEntries(inputs));
}
