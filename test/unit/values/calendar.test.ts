import test from 'ava';
import {Calendar, isTimeZone} from '../../../src/values/calendar.ts';

const day = 86_400_000;
const at = (text: string): number => Date.parse(text);

test('a day begins at midnight of its time zone, in summer and in winter', (t) => {
  const berlin = new Calendar('Europe/Berlin');
  t.is(berlin.dateOf(at('2031-01-31T22:59:59Z')), '2031-01-31');
  t.is(berlin.dateOf(at('2031-01-31T23:00:00Z')), '2031-02-01');
  t.is(berlin.dateOf(at('2031-07-31T21:59:59Z')), '2031-07-31');
  t.is(berlin.dateOf(at('2031-07-31T22:00:00Z')), '2031-08-01');
  t.is(new Calendar('Asia/Kolkata').dateOf(at('2031-01-31T18:30:00Z')), '2031-02-01');
  t.is(new Calendar('America/New_York').dateOf(at('2031-02-01T04:59:59Z')), '2031-01-31');
  t.is(new Calendar().dateOf(at('2031-02-01T00:00:00Z')), '2031-02-01');
});

test('a day in which the clocks change has 23 or 25 hours', (t) => {
  const berlin = new Calendar('Europe/Berlin');
  const lengthOf = (noon: string): number => berlin.endOfDay(at(noon)) - berlin.startOf(berlin.dayOf(at(noon)));
  t.is(lengthOf('2030-03-31T12:00:00Z'), day - 3_600_000);
  t.is(lengthOf('2030-10-27T12:00:00Z'), day + 3_600_000);
});

test('a time that clocks show twice is the first one, and one that they skip is as long after the jump', (t) => {
  const berlin = new Calendar('Europe/Berlin');
  t.is(berlin.momentOf(at('2030-10-27T02:30:00Z')), at('2030-10-27T00:30:00Z'));
  t.is(berlin.momentOf(at('2030-03-31T02:30:00Z')), at('2030-03-31T01:30:00Z'));
});

test('a time zone has an IANA name', (t) => {
  for (const zone of ['UTC', 'Europe/Berlin', 'america/new_york']) t.true(isTimeZone(zone), zone);
  for (const zone of ['', 'Berlin/Europe', '+01:00', 'local', 1, undefined]) t.false(isTimeZone(zone), String(zone));
});
