import test from 'ava';
import type {LinkFilter} from '../../../../src/links/read/listed-links.ts';
import {formatCursor} from '../../../../src/links/read/cursor.ts';
import {checkFilter, readActivePart, readQuery} from '../../../../src/links/read/query.ts';
import type {LinkRecord} from '../../../../src/link/record.ts';

test('a page of active links has 1 to 1,000 links, by default 1,000 and the oldest first', (t) => {
  t.like(readActivePart({}), {limit: 1000, order: 'oldest', after: undefined});
  t.like(readActivePart({limit: 1000, cursor: formatCursor('oldest', 7)}), {limit: 1000, after: 7});
  for (const part of [{limit: 1001}, {limit: 1.5}, {limit: Number.NaN}, {limit: '5'}, undefined, null, 'page']) {
    t.throws(() => readActivePart(part as never), {code: 'malformed_parameter'}, JSON.stringify(part));
  }
});

test('only a cursor that was handed out is accepted', (t) => {
  for (const position of [0, 1, 42, 999_999_999_999_999]) {
    t.is(readActivePart({cursor: formatCursor('oldest', position)}).after, position);
  }
  const encode = (text: string): string => Buffer.from(text).toString('base64url');
  for (const cursor of [
    '',
    5,
    {},
    encode('after'),
    encode('after NaN'),
    encode('before 5'),
    encode('after 05'),
    encode('after 5 '),
    encode(' after 5'),
    encode('after -5'),
    encode('after 12345678901234567'),
    `${formatCursor('oldest', 5)}=`,
    `${formatCursor('oldest', 5)}/`,
  ]) {
    const expected = {code: 'malformed_parameter', message: /next_cursor/};
    t.throws(() => readActivePart({cursor: cursor as never}), expected, JSON.stringify(cursor));
  }
});

test('a page of links has by default 100 links, the newest first', (t) => {
  t.like(readQuery({}).part, {limit: 100, order: 'newest', after: undefined});
  t.like(readQuery({order: 'oldest', cursor: formatCursor('oldest', 7)}).part, {order: 'oldest', after: 7});
  t.like(readQuery({cursor: formatCursor('newest', 7), limit: 5}).part, {limit: 5, order: 'newest', after: 7});
});

test('a parameter of another operation is refused', (t) => {
  t.throws(() => readQuery({page: 2} as never), {
    code: 'unknown_parameter',
    message: /status, tag, search, broken, expiresWithin, baseDomain, order/,
  });
  const check = (): void => {
    checkFilter({limit: 5} as never);
  };
  t.throws(check, {code: 'unknown_parameter'});
});

test('a tag matches as a whole and in any case, and a search finds words in any order, of tags too', (t) => {
  const record = {
    url: 'https://Destination.example/Tulips',
    slug: 'Spring',
    title: 'Große Blumen',
    tags: ['mail', 'Shop'],
    state: 'active',
  } as unknown as LinkRecord;
  const isMatch = (filter: LinkFilter): boolean => readQuery(filter).part.matches(record, 0);
  for (const tag of ['Shop', 'sHOP']) t.true(isMatch({tag}), tag);
  for (const search of ['destination', 'TULIPS', 'sPrIn', 'blumen', 'https://', 'MAI', ' blumen  shop tulips '])
    t.true(isMatch({search}), search);
  t.false(isMatch({tag: 'mai'}));
  t.false(isMatch({search: 'blumen roses'}));
});

test('a part of a Greek title is found, with a final sigma in either form', (t) => {
  const isMatch = (title: string, search: string): boolean =>
    readQuery({search}).part.matches({url: 'https://destination.example/', slug: 'x', title} as LinkRecord, 0);
  for (const search of ['ΠΡΟΣ', 'προσ', 'προς', 'ΠΡΟ', 'Σ', 'ς']) t.true(isMatch('ΠΡΟΣΦΟΡΑ', search), search);
  for (const search of ['ΚΟΣ', 'κος', 'κοσ']) t.true(isMatch('Κωδικός ΚΩΔΙΚΟΣ', search), search);
  t.false(isMatch('ΠΡΟΣΦΟΡΑ', 'ΡΟΦ'));
});

test('a search finds what people have named without the signs between letters, parts of words, and a domain', (t) => {
  const record = {
    domain: 'go.example.org',
    url: 'https://destination.example/about',
    slug: 'p-harburg',
    title: 'Plakate St. Pauli, Flottbeck',
    tags: ['Früh-Ling'],
  } as unknown as LinkRecord;
  const isMatch = (search: string): boolean => readQuery({search}).part.matches(record, 0);
  for (const search of [
    'st.pauli',
    '"Flottbeck"',
    '/p-harburg',
    'lottb',
    '“St. Pauli”',
    'go.example.org',
    'GO.example.org pauli',
  ])
    t.true(isMatch(search), search);
  for (const search of ['a-bout', 'example.org', 'st.pauli altona', '""']) t.false(isMatch(search), search);
});

test('a search has at most 200 characters', (t) => {
  const read = (length: number): unknown => readQuery({search: 'a'.repeat(length)});
  t.notThrows(() => read(200));
  t.throws(() => read(201), {code: 'malformed_parameter', message: /200/});
});
