import test from 'ava';
import {ShortUrlError} from '../../src/errors.ts';
import {importPackage, isFault, MissingPackageError, operationFailure} from '../../src/store/failure.ts';

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
    t.is(isFault(error), !(error instanceof ShortUrlError));
  }
  t.false(isFault(new Error('connection lost')));
});
