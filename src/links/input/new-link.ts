import {ShortUrlError} from '../../host/errors.ts';
import type {Base, Bases} from '../bases.ts';
import {parseExpiryDate} from './dates.ts';
import {readFields, readMaxVisits, readPassword, readTags, readTitle, text} from './fields.ts';
import type {CreateLink} from '../link.ts';
import {type LongUrl, parseLongUrl} from './long-url.ts';
import type {ReservedSlugs} from './slug.ts';

/** A request to create a link that has been found in order, as far as that can be said without the store. */
export interface NewLink extends LongUrl {
  readonly base: Base;
  readonly slug: string | undefined;
  readonly password: string | undefined;
  readonly end: number | undefined;
  readonly title: string | undefined;
  readonly tags: readonly string[];
  readonly maxVisits: number | undefined;
}

export interface NewLinkRules {
  readonly bases: Bases;
  readonly reserved: ReservedSlugs;
  readonly now: number;
}

/**
 * Checks the parts of a request to create a link, in the order in which they were given.
 *
 * @throws ShortUrlError with the code of the first part that is not in order
 */
export function checkNewLink(input: CreateLink, {bases, reserved, now}: NewLinkRules): NewLink {
  const {url, customUrl, password, expiryDate, baseDomain, title, tags, maxVisits} = readFields(
    input,
    'A link is created from',
    {
      url: text(parseLongUrl),
      customUrl: text((slug) => {
        reserved.check(slug);
        return slug;
      }),
      password: text(readPassword),
      expiryDate: text((date) => parseExpiryDate(date, now)),
      baseDomain: text((domain) => findBase(domain, bases)),
      title: text(readTitle),
      tags: readTags,
      maxVisits: readMaxVisits,
    },
  );
  if (url === undefined) {
    throw new ShortUrlError('missing_parameter', 'The long URL is missing: give it as `url`.');
  }
  return {
    ...url,
    base: baseDomain ?? bases.main,
    slug: customUrl,
    password,
    end: expiryDate,
    title,
    tags: tags ?? [],
    maxVisits,
  };
}

function findBase(domain: string, bases: Bases): Base {
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
