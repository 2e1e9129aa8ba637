import {dayCounter, dayOfCounter, visitsCounter} from '../../../src/link/counters.ts';
import {countersKey, linkIds, linkKey, positionsKey} from '../../../src/keys.ts';
import test from 'ava';
import {Bases} from '../../../src/link/bases.ts';
import {type LinkRecord, statusOf, targetOf} from '../../../src/link/record.ts';
import {toLink} from '../../../src/link/to-link.ts';
import type {Counters} from '../../../src/store/port.ts';

test('the keys of records and the names of counters do not change between versions', (t) => {
  t.is(linkIds, 'sequence:url_id');
  t.is(linkKey({domain: 'example.com', slug: 'Spring'}), 'l:{example.com:Spring}');
  t.is(countersKey({domain: 'example.com', slug: 'Spring', counters: 'a-_9'}), 'v:{example.com:Spring}:a-_9');
  t.is(dayCounter(20_000), 'dffk');
  t.deepEqual(['dffk', 'v', 'd:direct'].map(dayOfCounter), [20_000, undefined, undefined]);
  t.is(positionsKey('life'), 'positions:life');
});

test('a link is expired from its end on, unless it is disabled', (t) => {
  const record = (state: LinkRecord['state'], end?: number) => ({state, ...(end !== undefined && {end})}) as LinkRecord;
  t.is(statusOf(record('active'), Number.MAX_SAFE_INTEGER), 'active');
  t.is(statusOf(record('active', 10), 9), 'active');
  t.is(statusOf(record('active', 10), 10), 'expired');
  t.is(statusOf(record('disabled', 10), 11), 'disabled');
  t.is(statusOf(record('removed', 10), 9), 'disabled');
});

test('a link is scheduled until its start date, unless it is disabled or has expired', (t) => {
  const record = {state: 'active', start: 10} as LinkRecord;
  t.is(statusOf(record, 9), 'scheduled');
  t.is(statusOf(record, 10), 'active');
  t.is(statusOf({...record, state: 'disabled'}, 9), 'disabled');
  t.is(statusOf({...record, isBlocked: true}, 9), 'disabled');
  t.is(statusOf({...record, end: 5}, 9), 'expired');
});

test('a link shows every field of its record and its counters', (t) => {
  const site = {bases: new Bases('https://example.com/s', []), fieldDefaults: {forwardQuery: true}};
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
    title: null,
    tags: [],
    maxVisits: null,
    startDate: null,
    expiredUrl: null,
    forwardQuery: true,
    rules: [],
    previewTitle: null,
    previewDescription: null,
    previewImage: null,
    reference: null,
    totalVisits: 3,
    lastAccessed: '1970-01-01 00:00:05',
  };
  t.deepEqual<unknown, unknown>(toLink(record, counters({[visitsCounter]: 3}, 5999), site, created), told);
  const {end, password, ...plain} = record;
  t.truthy(end && password);
  const unvisited = {hasPassword: false, expiryDate: null, totalVisits: 0, lastAccessed: null};
  t.deepEqual<unknown, unknown>(toLink(plain, undefined, site, created), {...told, ...unvisited});
  t.like(toLink(plain, counters({}), site, created), unvisited);
  const blocked = toLink({...plain, isBlocked: true}, undefined, site, created);
  t.like(blocked, {status: 'disabled', isBlocked: true});
});

test('a link redirects to the serialised form of its long URL', (t) => {
  t.is(targetOf({url: 'https://destination.example/'}), 'https://destination.example/');
  t.is(
    targetOf({url: 'https://destination.example/ä', target: 'https://destination.example/%C3%A4'}),
    'https://destination.example/%C3%A4',
  );
});

function counters(counts: Record<string, number>, at?: number): Counters {
  return {counts: new Map(Object.entries(counts)), at};
}
