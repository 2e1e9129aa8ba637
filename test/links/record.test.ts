import test from 'ava';
import {linkIds, linkKey, pointerKey, positionsKey, statusOf, tallyKey} from '../../src/links/record.ts';
import type {LinkRecord} from '../../src/links/record.ts';

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
