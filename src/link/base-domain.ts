import {ShortUrlError} from '../host/errors.ts';
import type {Base, Bases} from './bases.ts';

/** @throws ShortUrlError `invalid_base_domain` or `unknown_base_domain` */
export function findBase(domain: string, bases: Bases): Base {
  if (/[/\\]|^[a-z][a-z0-9+.-]*:(?!\d+$)/i.test(domain)) {
    throw new ShortUrlError(
      'invalid_base_domain',
      'The base domain must be written without scheme, path and trailing slash, in the form domain.com.',
    );
  }
  const base = bases.find(domain);
  if (base === undefined) {
    throw new ShortUrlError('unknown_base_domain', 'The base domain must be one of the domains of this site.');
  }
  return base;
}
