import {ShortUrlError} from '../errors.ts';
import {readFields} from '../values/input.ts';
import {reader} from '../values/shape.ts';
import {flag} from '../values/shapes.ts';
import {checkOrder} from './dates.ts';
import {type FieldName, type FieldValues, type InputRules, readersOf} from './fields.ts';
import type {CreateLink} from './link.ts';

/** A link to create whose fields have passed the checks that need no store. */
export type NewLink = {readonly [Name in FieldName]?: FieldValues[Name] | undefined} & Pick<
  FieldValues,
  'url' | 'baseDomain'
> & {readonly reuse?: boolean | undefined};

/**
 * Checks the fields of a link to create, in the given order.
 *
 * @throws ShortUrlError with the code of the first wrong one
 */
export function checkNewLink(input: CreateLink, rules: InputRules): NewLink {
  const readers = {...readersOf(rules), reuse: reader(flag)};
  const {url, baseDomain = rules.bases.main, ...others} = readFields(input, 'A link is created from', readers);
  checkOrder(others.startDate, others.expiryDate);
  if (url !== undefined) return {...others, url, baseDomain};
  throw new ShortUrlError('missing_parameter', 'The long URL is missing. Pass it as `url`.');
}
