import test from 'ava';
import {Announcer} from '../../../src/links/announcer.ts';
import {ShortUrlError} from '../../../src/errors.ts';
import {warningsOf} from '../../support/warnings.ts';

const refused = (message = 'password authentication failed'): ShortUrlError =>
  new ShortUrlError('store_unavailable', 'The store refused the user or the password.', {cause: new Error(message)});

test.serial('without a listener the first failure prints one warning with its cause', async (t) => {
  const announcer = new Announcer();
  const warnings = await warningsOf(() => {
    announcer.report(refused());
    announcer.report(refused('and again'));
  });
  t.is(warnings.length, 1);
  t.like(warnings[0], {
    name: 'ShortUrlWarning',
    code: 'store_unavailable',
    message: 'The store refused the user or the password. Cause: password authentication failed',
  });
  t.regex(String(warnings[0]?.detail), /events\.on\('error'/);
});

test.serial('a listener gets every failure once, and nothing is printed', async (t) => {
  const announcer = new Announcer();
  const heard: ShortUrlError[] = [];
  announcer.events.on('error', (error) => heard.push(error));
  const errors = [refused(), refused('and again')] as const;
  const warnings = await warningsOf(() => {
    for (const error of [...errors, ...errors]) announcer.report(error);
  });
  t.deepEqual(heard, [...errors]);
  t.deepEqual(warnings, []);
});

test.serial('the app gets the faults that a request met, but not the outages', async (t) => {
  const announcer = new Announcer();
  announcer.events.on('error', () => undefined);
  const emitted: unknown[] = [];
  const ctx = {app: {emit: (...values: unknown[]) => emitted.push(values)}};
  const fault = new ShortUrlError('internal_error', 'A callback failed.');
  announcer.reportIn(ctx, refused());
  announcer.reportIn(ctx, fault);
  t.deepEqual(emitted, [['error', fault, ctx]]);
});
