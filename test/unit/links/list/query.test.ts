import test from 'ava';
import type {LinkFilter, LinkQuery} from '../../../../src/link/link.ts';
import {formatCursor, readFilter, readActivePart, readQuery} from '../../../../src/links/list/query.ts';
import type {LinkRecord} from '../../../../src/link/record.ts';

test('a page of active links has 1 to 1,000 links, by default 1,000 and the oldest first', (t) => {
  t.like(readActivePart({}), {limit: 1000, order: 'oldest', after: undefined});
  t.like(readActivePart({limit: 1}), {limit: 1, after: undefined});
  t.like(readActivePart({limit: 1000, cursor: formatCursor('oldest', 7)}), {limit: 1000, after: 7});
  for (const limit of [0, -1, 1001, 1.5, Number.NaN, '5', null]) {
    t.throws(
      () => readActivePart({limit: limit as never}),
      {code: 'malformed_parameter', message: /limit .* 1 to 1000/},
      String(limit),
    );
  }
  for (const page of [undefined, null, 'page', 5]) {
    t.throws(
      () => readActivePart(page as never),
      {code: 'malformed_parameter', message: /must be an object/},
      String(page),
    );
  }
});

test('only a cursor that was handed out is accepted', (t) => {
  for (const position of [0, 1, 42, 999_999_999_999_999]) {
    t.is(readActivePart({cursor: formatCursor('oldest', position)}).after, position);
  }
  const encode = (text: string): string => Buffer.from(text).toString('base64url');
  for (const cursor of [
    '',
    'cursor',
    5,
    null,
    {},
    encode('after'),
    encode('after x'),
    encode('after NaN'),
    encode('before 5'),
    encode('after 05'),
    encode('after 5 '),
    encode(' after 5'),
    encode('after -5'),
    encode('after 1234567890123456'),
    `${formatCursor('oldest', 5)}=`,
    `${formatCursor('oldest', 5)}/`,
  ]) {
    t.throws(
      () => readActivePart({cursor: cursor as never}),
      {code: 'malformed_parameter', message: /next_cursor/},
      JSON.stringify(cursor),
    );
  }
});

test('a page of links has by default 100 links, the newest first', (t) => {
  t.like(readQuery({}).part, {limit: 100, order: 'newest', after: undefined});
  t.like(readQuery({order: 'oldest', cursor: formatCursor('oldest', 7)}).part, {order: 'oldest', after: 7});
  t.like(readQuery({cursor: formatCursor('newest', 7), limit: 5}).part, {limit: 5, order: 'newest', after: 7});
  t.is(readFilter({}, 'oldest').order, 'oldest');
  t.is(readFilter({order: 'newest'}, 'oldest').order, 'newest');
});

test('a cursor is refused with another order than its own', (t) => {
  t.throws(() => readQuery({cursor: formatCursor('oldest', 7)}), {code: 'malformed_parameter', message: /order/});
  t.throws(() => readActivePart({cursor: formatCursor('newest', 7)}), {code: 'malformed_parameter'});
});

test('an invalid condition is refused', (t) => {
  const refusals: Array<[LinkQuery, string, RegExp]> = [
    [{status: 'removed' as never}, 'malformed_parameter', /`active`, `disabled`, `expired` or `scheduled`/],
    [
      {order: 'oldest first' as never},
      'malformed_parameter',
      /`newest`, `oldest`, `visits`, `last_visit` or `conversions`/,
    ],
    [{tag: ''}, 'malformed_parameter', /`tag`/],
    [{search: 5 as never}, 'malformed_parameter', /`search`/],
    [{limit: 0}, 'malformed_parameter', /1 to 1000/],
    [{page: 2} as never, 'unknown_parameter', /status, tag, search, order/],
  ];
  for (const [query, code, message] of refusals) {
    t.throws(() => readQuery(query), {code, message}, JSON.stringify(query));
  }
  t.throws(() => readFilter({limit: 5} as never, 'oldest'), {code: 'unknown_parameter'});
});

test('a link matches by status, by a whole tag, and by a part of its long URL, short part or title', (t) => {
  const record = {
    url: 'https://Destination.example/Tulips',
    slug: 'Spring',
    title: 'Große Blumen',
    tags: ['mail', 'Shop'],
    state: 'active',
    end: 1000,
  } as unknown as LinkRecord;
  const isMatch = (filter: LinkFilter, now = 0): boolean => readFilter(filter, 'oldest').matches(record, now);
  t.true(isMatch({}));
  t.true(isMatch({status: 'active'}));
  t.true(isMatch({status: 'expired'}, 1000));
  t.false(isMatch({status: 'active'}, 1000));
  t.false(isMatch({status: 'disabled'}));
  t.true(isMatch({tag: 'Shop'}));
  t.true(isMatch({tag: 'sHOP'}));
  t.false(isMatch({tag: 'mai'}));
  for (const search of ['destination', 'TULIPS', 'sPrIn', 'blumen', 'https://']) t.true(isMatch({search}), search);
  t.false(isMatch({search: 'mail'}));
  t.true(isMatch({status: 'active', tag: 'mail', search: 'spring'}));
  t.false(isMatch({status: 'active', tag: 'mail', search: 'autumn'}));
});

test('a part of a Greek title is found, with a final sigma in either form', (t) => {
  const isMatch = (title: string, search: string): boolean =>
    readFilter({search}, 'oldest').matches({url: 'https://destination.example/', slug: 'x', title} as LinkRecord, 0);
  for (const search of ['ΠΡΟΣ', 'προσ', 'προς', 'ΠΡΟ', 'Σ', 'ς']) t.true(isMatch('ΠΡΟΣΦΟΡΑ', search), search);
  for (const search of ['ΚΟΣ', 'κος', 'κοσ']) t.true(isMatch('Κωδικός ΚΩΔΙΚΟΣ', search), search);
  t.false(isMatch('ΠΡΟΣΦΟΡΑ', 'ΡΟΦ'));
});

test('a search has at most 200 characters', (t) => {
  const read = (length: number): unknown => readFilter({search: 'a'.repeat(length)}, 'oldest');
  t.notThrows(() => read(200));
  t.throws(() => read(201), {code: 'malformed_parameter', message: /200/});
});
