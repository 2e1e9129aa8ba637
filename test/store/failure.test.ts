import test from 'ava';
import {ShortUrlError} from '../../src/errors.ts';
import {asError, importPackage, MissingPackageError, operationFailure, within} from '../../src/store/failure.ts';

test('a package that is not installed is told by its name, and any other failure to load it is what it was', async (t) => {
  for (const code of ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']) {
    const cause = Object.assign(new Error('Cannot find it'), {code});
    const error = await t.throwsAsync(
      importPackage('libsql', () => Promise.reject(cause)),
      {
        instanceOf: MissingPackageError,
        name: 'MissingPackageError',
        message: 'The store needs the package libsql, which is not installed: npm install libsql',
      },
    );
    t.is(error.cause, cause);
  }
  const other = Object.assign(new Error('It is broken'), {code: 'ERR_DLOPEN_FAILED'});
  await t.throwsAsync(
    importPackage('libsql', () => Promise.reject(other)),
    {is: other},
  );
  t.is(await importPackage('libsql', () => Promise.resolve(5)), 5);
});

test('what is no fault of ours means that the store did not answer, and says when to come back', (t) => {
  const cause = new Error('connection lost');
  const outage = operationFailure(cause);
  t.true(outage instanceof ShortUrlError);
  t.like(outage, {code: 'store_unavailable', message: 'The store did not answer.', retryAfter: 1, cause});
  const missing = new MissingPackageError('libsql', cause);
  // It does not pass by itself, so nobody has to ask every second.
  t.like(operationFailure(missing), {
    code: 'store_unavailable',
    message: missing.message,
    retryAfter: 60,
    cause: missing,
  });
});

test('a fault of ours, and what has a code already, stay what they are', (t) => {
  for (const error of [
    new TypeError(),
    new ReferenceError(),
    new RangeError(),
    new SyntaxError(),
    new ShortUrlError('custom_url_taken', 'It is taken.'),
  ]) {
    t.is(operationFailure(error), error);
  }
});

test('nothing is waited for longer than allowed, and then the bound is named', async (t) => {
  const never = new Promise<never>(() => undefined);
  await t.throwsAsync(within(5, never), {message: 'No answer within 5 ms'});
  t.is(await within(10_000, Promise.resolve(1)), 1);
  await t.throwsAsync(within(10_000, Promise.reject(new Error('refused'))), {message: 'refused'});
});

test('whatever was thrown becomes an error', (t) => {
  const error = new Error('refused');
  t.is(asError(error), error);
  for (const thrown of ['refused', 5, undefined, null]) t.is(asError(thrown).message, String(thrown));
});
