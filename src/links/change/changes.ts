import {planted} from '../../planted.ts';
import {ShortUrlError} from '../../errors.ts';
import {checkOrder} from '../../link/dates.ts';
import {checkSize} from '../../link/urls.ts';
import {
  type FieldName,
  fields,
  type FieldValues,
  type InputRules,
  tagList,
  toRecordFields,
  updateNames,
} from '../../link/fields.ts';
import {malformed, type Reader, reader, readFields} from '../../values/input.ts';
import {withoutCase} from '../read/query.ts';
import type {UpdateLink} from '../../link/link.ts';
import {isOver, type LinkRecord, present} from '../../link/record.ts';

type RuledReader = Reader<unknown, [rules: InputRules]>;

/** Changes of a link that passed their checks. Undefined values stay, and null clears. */
export type Changes = {readonly [Name in FieldName & keyof UpdateLink]?: FieldValues[Name] | null | undefined} & {
  readonly url?: FieldValues['url'] | undefined;
  readonly addTags?: readonly string[] | undefined;
  readonly removeTags?: readonly string[] | undefined;
};

const readTags = reader(tagList, 'tags');

const readers = {
  ...Object.fromEntries(
    updateNames.map((name) => {
      const read: RuledReader = fields[name].read;
      return [name, fields[name].update === undefined ? clearable(read) : read] as const;
    }),
  ),
  addTags: readTags,
  removeTags: readTags,
};

/** @throws ShortUrlError with the code of the first wrong one, or `missing_parameter` if there are no changes */
export function checkChanges(input: UpdateLink, rules: InputRules): Changes {
  const changes = readFields(input, 'A link is changed by', readers, rules) as Changes;
  if (changes.tags !== undefined && (changes.addTags ?? changes.removeTags) !== undefined) {
    throw malformed('Give either all tags, or tags to add and to remove.');
  }
  if (Object.keys(changes).length > 0) return changes;
  throw new ShortUrlError('missing_parameter', 'No change was given.');
}

/** @param changes a new password is given as its hash */
export function applyChanges(record: LinkRecord, changes: Changes, now: number): LinkRecord {
  const tags = (changes.addTags ?? changes.removeTags) ? changedTags(record, changes) : changes.tags;
  const changed = present({...record, ...toRecordFields({...changes, tags}, record)});
  // Nothing else about a link that was stored with such dates is refused.
  if (changed.start !== record.start || changed.end !== record.end) checkOrder(changed.start, changed.end);
  // A link that works again is announced again when it expires.
  const isSame = planted('expiry-mark-kept') || isOver(changed, now);
  return checkSize(isSame ? changed : present({...changed, announced: undefined}));
}

/**
 * The tags after an addition and a removal. It is made from the record that the change replaces, so that no other change is
 * lost.
 *
 * @throws ShortUrlError `malformed_parameter` if there would be too many
 */
function changedTags({tags = []}: LinkRecord, {addTags = [], removeTags = []}: Changes): readonly string[] {
  const removed = new Set(removeTags.map(withoutCase));
  const kept = tags.filter((tag) => !removed.has(withoutCase(tag)));
  const present = new Set(kept.map(withoutCase));
  const all = [...kept, ...addTags.filter((tag) => !present.has(withoutCase(tag)))];
  return readTags(all, 'tags');
}

function clearable(read: RuledReader): RuledReader {
  return (value, name, rules) => (value === null ? null : read(value, name, rules));
}
