import {Calendar} from '../../../../src/values/calendar.ts';
import {ReservedSlugs} from '../../../../src/site/reserved.ts';
import test from 'ava';
import {Bases} from '../../../../src/link/bases.ts';
import {applyChanges, checkChanges} from '../../../../src/links/change/changes.ts';
import type {UpdateLink} from '../../../../src/link/link.ts';
import type {LinkRecord} from '../../../../src/link/record.ts';

const now = Date.UTC(2030, 0, 1);
const rules = {
  bases: new Bases('https://example.com', []),
  reserved: new ReservedSlugs(),
  calendar: new Calendar(),
  now,
};
const record: LinkRecord = {
  domain: 'example.com',
  slug: 'spring',
  id: 1,
  account: 'user-42',
  generation: 'life',
  position: 1,
  url: 'https://destination.example/ü',
  target: 'https://destination.example/%C3%BC',
  created: now,
  counters: 'c',
  end: Date.UTC(2031, 0, 1),
  password: 'hash',
  title: 'Spring',
  tags: ['mail'],
  maxVisits: 10,
  used: 3,
  state: 'disabled',
};

const apply = (input: UpdateLink, of = record): LinkRecord => applyChanges(of, checkChanges(input, rules), now);

test('an update replaces the named fields and no others', (t) => {
  t.deepEqual(apply({title: 'Summer'}), {...record, title: 'Summer'});
  t.deepEqual(apply({tags: ['a', 'b', 'a']}), {...record, tags: ['a', 'b']});
  t.deepEqual(apply({expiryDate: '2030-01-01'}), {...record, end: Date.UTC(2030, 0, 2)});
  t.deepEqual(apply({maxVisits: 2}), {...record, maxVisits: 2});
  t.deepEqual(apply({password: 'new'}), {...record, password: 'new'});
  t.deepEqual(apply({url: 'https://other.example/ß', title: undefined}), {
    ...record,
    url: 'https://other.example/ß',
    target: 'https://other.example/%C3%9F',
  });
});

test('a new long URL that is ASCII removes the stored serialised form of the old one', (t) => {
  const {target, ...rest} = record;
  t.truthy(target);
  t.deepEqual<object, object>(apply({url: 'https://other.example/'}), {...rest, url: 'https://other.example/'});
});

test('setting a limit on a link without one leaves `used` to be settled later', (t) => {
  const {maxVisits, used, ...unlimited} = record;
  t.truthy(maxVisits && used);
  t.deepEqual<object, object>(apply({maxVisits: 5}, unlimited), {...unlimited, maxVisits: 5});
  t.is(apply({maxVisits: 5}).used, 3);
});

test('an update without a change, and one that a program cannot mean, are refused', (t) => {
  const refusals: Array<[unknown, string, RegExp]> = [
    [{title: undefined}, 'missing_parameter', /No change/],
    [undefined, 'missing_parameter', /No change/],
    [{url: null}, 'malformed_parameter', /`url`/],
    [{tags: 'mail'}, 'malformed_parameter', /tags/],
    [{customUrl: 'autumn'}, 'unknown_parameter', /changed by url, password, expiryDate, title, tags, maxVisits/],
  ];
  for (const [input, code, message] of refusals) {
    t.throws(() => checkChanges(input as UpdateLink, rules), {code, message}, JSON.stringify(input));
  }
});
