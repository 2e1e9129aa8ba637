import test from 'ava';
import {isUnavailable, ShortUrlError, toShortUrlError} from '../../src/errors.ts';

/** Another copy of the package, as a dashboard or a site has it if it is installed twice. */
const copy = new URL('../../dist/index.js', import.meta.url).href;
const other = (await import(copy)) as typeof import('../../src/index.ts');

test('an error of another copy of the package is a ShortUrlError', (t) => {
  const error = new other.ShortUrlError('store_unavailable', 'The store did not answer.');
  t.not(error.constructor, ShortUrlError);
  t.true(error instanceof ShortUrlError);
  t.true(isUnavailable(error));
  t.is(toShortUrlError(error), error);
});

test('no other value is a ShortUrlError, whatever its code', (t) => {
  const ofHost = Object.assign(new Error('no'), {code: 'custom_url_taken', status: 409});
  const namesake = {name: 'ShortUrlError', code: 'invalid_url'};
  for (const value of [ofHost, new TypeError('no'), namesake, 'no', null]) t.false(value instanceof ShortUrlError);
  class OwnError extends ShortUrlError {}
  t.true(new OwnError('invalid_url', 'no') instanceof ShortUrlError);
  t.false(new ShortUrlError('invalid_url', 'no') instanceof OwnError);
});
