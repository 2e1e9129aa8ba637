import test from 'ava';
import {Announcer} from '../../../src/links/announcer.ts';
import {ShortUrlError} from '../../../src/host/errors.ts';
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

test.serial('a fault in the program is still printed after a warning of an outage, with its stack', async (t) => {
  const announcer = new Announcer();
  const cause = new RangeError('out of cheese');
  const warnings = await warningsOf(() => {
    announcer.report(refused());
    announcer.report(new ShortUrlError('internal_error', 'A callback failed.', {cause}));
  });
  t.deepEqual(
    warnings.map(({code}) => code),
    ['store_unavailable', 'internal_error'],
  );
  t.true(warnings[1]?.detail?.includes(String(cause.stack)));
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

test.serial('an app whose error listener throws gets a warning', async (t) => {
  const announcer = new Announcer();
  announcer.events.on('error', () => undefined);
  const ctx = {
    app: {
      emit(): never {
        throw new Error('the log is full');
      },
    },
  };
  const warnings = await warningsOf(() => {
    announcer.reportIn(ctx, new ShortUrlError('internal_error', 'A callback failed.'));
  });
  t.is(warnings.length, 1);
  t.regex(String(warnings[0]?.message), /the log is full/);
});

test.serial('a failure whose properties cannot be read is printed without them', async (t) => {
  const unreadable = (cause: object, name: string): object =>
    Object.defineProperty(cause, name, {
      get(): never {
        throw new Error('it cannot be read');
      },
    });
  for (const cause of [
    unreadable({}, 'stack'),
    unreadable(new Error('broken'), 'stack'),
    unreadable(new Error('broken'), 'message'),
    unreadable(new Error('broken'), 'cause'),
    unreadable(new AggregateError([], 'broken'), 'errors'),
  ]) {
    const announcer = new Announcer();
    const warnings = await warningsOf(() => {
      announcer.report(new ShortUrlError('internal_error', 'A callback failed.', {cause}));
    });
    t.is(warnings.length, 1);
    t.regex(String(warnings[0]?.message), /^A callback failed\.( Cause: broken)?$/);
  }
});
