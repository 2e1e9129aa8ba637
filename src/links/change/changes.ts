import {ShortUrlError} from '../../host/errors.ts';
import {checkOrder} from '../../link/dates.ts';
import {checkSize} from '../../link/destinations.ts';
import {
  type FieldName,
  fields,
  type FieldValues,
  type InputRules,
  readersOf,
  toRecordFields,
  updateNames,
} from '../../link/fields.ts';
import {type Reader, readFields} from '../../link/readers.ts';
import type {UpdateLink} from '../../link/link.ts';
import {type LinkRecord, present} from '../../link/record.ts';

/** Changes of a link that passed their checks. Undefined values stay, and null clears. */
export type Changes = {readonly [Name in FieldName & keyof UpdateLink]?: FieldValues[Name] | null | undefined} & {
  readonly url?: FieldValues['url'] | undefined;
};

/**
 * Checks the changes in the given order.
 *
 * @throws ShortUrlError with the code of the first wrong one, or `missing_parameter` if there are no changes
 */
export function checkChanges(input: UpdateLink, rules: InputRules): Changes {
  const readers = readersOf(rules);
  const entries = updateNames.map((name) => {
    const read: Reader<unknown> = readers[name];
    return [name, fields[name].update === 'clear' ? clearable(read) : read] as const;
  });
  const changes = readFields(input, 'A link is changed by', Object.fromEntries(entries)) as Changes;
  if (Object.keys(changes).length > 0) return changes;
  throw new ShortUrlError('missing_parameter', 'No change was given.');
}

/**
 * The record with the changes.
 *
 * @param changes a new password is given as its hash
 */
export function applyChanges(record: LinkRecord, changes: Changes): LinkRecord {
  const changed = present({...record, ...toRecordFields(changes, record)});
  // Nothing else about a link that was stored with such dates is refused.
  if (changed.start !== record.start || changed.end !== record.end) checkOrder(changed);
  return checkSize(changed);
}

/** A field that null clears. */
function clearable(read: Reader<unknown>): Reader<unknown> {
  return (value, name) => (value === null ? null : read(value, name));
}
