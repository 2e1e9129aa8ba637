import test from 'ava';
import {Formats} from '../../../src/dashboard/formats.ts';

test('a link whose visits have no known time is not shown as never visited', (t) => {
  const formats = new Formats('en', 'UTC');
  t.is(formats.lastVisit({totalVisits: 0, lastAccessed: null}, 'never'), 'never');
  t.is(formats.lastVisit({totalVisits: 7, lastAccessed: null}, 'never'), '–');
  t.is(
    formats.lastVisit({totalVisits: 7, lastAccessed: '2031-05-06 12:00:00'}, 'never').replace('\u202F', ' '),
    'May 6, 2031, 12:00 PM',
  );
});
