import test from 'ava';
import {toUpdateLink} from '../../../../src/http/api/link-input.ts';

const values = (fields: object): Map<string, unknown> => new Map(Object.entries(fields));

test('a name in `clear` clears its field, once and if the field can be cleared', (t) => {
  const changes = {title: 'Spring', tags: null, maxVisits: null};
  t.deepEqual(toUpdateLink(values({title: 'Spring', clear: ['tags', 'max_visits']})), changes);
  for (const clear of [[], ['url'], ['custom_url'], ['maxVisits'], ['title', 'title']]) {
    t.throws(() => toUpdateLink(values({clear})), {code: 'malformed_parameter', message: /`clear`/}, clear.join());
  }
});
