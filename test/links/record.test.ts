import test from 'ava';
import {Bases} from '../../src/links/bases.ts';
import {
  linkIds,
  linkKey,
  type LinkRecord,
  pointerKey,
  positionsKey,
  statusOf,
  tallyKey,
  toLink,
  toStats,
} from '../../src/links/record.ts';

test('what is stored keeps its names, or the links of an earlier version would be lost', (t) => {
  t.is(linkIds, 'sequence:url_id');
  t.is(linkKey({domain: 'example.com', slug: 'Spring'}), 'link:example.com:Spring');
  t.is(tallyKey({id: 7}), 'visits:7');
  t.is(positionsKey('owner'), 'positions:owner');
  t.is(pointerKey('owner', 3), 'list:owner:3');
});

test('a link has expired from the moment of its end on, unless it is disabled', (t) => {
  const record = (state: LinkRecord['state'], end?: number) => ({state, ...(end !== undefined && {end})}) as LinkRecord;
  t.is(statusOf(record('active'), Number.MAX_SAFE_INTEGER), 'active');
  t.is(statusOf(record('active', 10), 9), 'active');
  t.is(statusOf(record('active', 10), 10), 'expired');
  t.is(statusOf(record('disabled', 10), 11), 'disabled');
  t.is(statusOf(record('removed', 10), 9), 'disabled');
});

test('a link is told with everything that its record and its tally say', (t) => {
  const bases = new Bases('https://example.com/s', []);
  const created = Date.UTC(2031, 4, 6, 12);
  const record = {
    domain: 'example.com',
    slug: 'Spring',
    id: 7,
    url: 'HTTPS://Destination.example',
    created,
    end: Date.UTC(2031, 4, 8),
    password: 'hash',
    state: 'active',
  } as LinkRecord;
  const told = {
    urlId: 7,
    shortUrl: 'https://example.com/s/Spring',
    shortUrlPart: 'Spring',
    originalUrl: 'HTTPS://Destination.example',
    dateCreated: '2031-05-06 12:00:00',
    hasPassword: true,
    expiryDate: '2031-05-07 23:59:59',
    status: 'active',
    totalVisits: 3,
    lastAccessed: '1970-01-01 00:00:05',
  };
  t.deepEqual<unknown, unknown>(toLink(record, {visits: 3, lastVisit: 5999}, bases, created), told);
  const {end, password, ...plain} = record;
  t.truthy(end && password);
  const unvisited = {hasPassword: false, expiryDate: null, totalVisits: 0, lastAccessed: null};
  t.deepEqual<unknown, unknown>(toLink(plain, undefined, bases, created), {...told, ...unvisited});
  t.like(toLink(plain, {visits: 0, lastVisit: undefined}, bases, created), unvisited);
});

test('the days of a link are those with visits among the last 400, oldest first', (t) => {
  const day = 20_000;
  const now = day * 86_400_000 + 5;
  const {days, totalVisits, lastAccessed} = toStats(
    {
      visits: 10,
      lastVisit: now,
      days: [
        [day, 4],
        [day - 400, 1],
        [day - 399, 2],
        [day - 1, 3],
      ],
    },
    now,
  );
  t.deepEqual(days, [
    {date: '2023-09-01', visits: 2},
    {date: '2024-10-03', visits: 3},
    {date: '2024-10-04', visits: 4},
  ]);
  t.deepEqual([totalVisits, lastAccessed], [10, '2024-10-04 00:00:00']);
});
