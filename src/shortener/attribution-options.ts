import type {Context} from 'koa';
import {isObject} from '../values/describe.ts';
import {type ConversionText, type PageLanguage, pageLanguages} from '../values/language.ts';
import {object} from '../values/objects.ts';
import {days, type OptionTable} from '../values/options.ts';
import {callback, choice, currencyCode, shapeOf, text, word} from '../values/shape.ts';
import type {AttributionOptions} from './generated/options.ts';

const forms = object({one: text, other: text});

const isConversionText = (value: unknown): boolean => text.holds(value) || forms.holds(value);

const isTexts = (value: unknown): boolean =>
  isObject(value) &&
  Object.entries(value).every(([language, each]) => pageLanguages.includes(language) && isConversionText(each)) &&
  Object.keys(value).length > 0;

export const attributionOptions = {
  maxAge: {
    // Browsers keep no cookie longer.
    ...days(400, 30),
    sentence: 'How long a link gets the conversions of a visitor, and the browser keeps the cookie.',
  },
  customerAge: {
    ...days(3650, 730),
    sentence:
      'How long a customer of `conversions.identify` is kept after the last use, and then to the end of that day (UTC).',
  },
  currency: {
    ...currencyCode,
    sentence:
      'The currency of conversions that are recorded without one: three capital letters of ISO 4217, such as `EUR`. Without it they have none.',
  },
  credit: {
    ...choice(['last', 'first']),
    bounds: '',
    default: 'last',
    sentence:
      'Which link gets the conversions of a visitor who has followed several: that of the `last` visit, or that of the `first` one within `maxAge`, whose cookie is not replaced.',
  },
  names: {
    ...shapeOf<Readonly<Record<string, ConversionText | Readonly<Partial<Record<PageLanguage, ConversionText>>>>>>({
      expected: 'an object with a text, {one, other}, or these by language, for each name',
      holds: (value: unknown) =>
        isObject(value) && Object.values(value).every((each) => isConversionText(each) || isTexts(each)),
    }),
    sentence:
      'What the dashboard calls the conversions of a name: a text, or `{one, other}` with the forms for one and for several, or these for each of the six languages. Where a language is missing, the first is used.',
    example:
      "{order: {one: 'Ticket sold', other: 'Tickets sold'}, registration: {en: 'Registrations', de: 'Anmeldungen'}}",
  },
  consent: {
    ...callback<(ctx: Context) => boolean | undefined | Promise<boolean | undefined>>(),
    defaultCode: '() => true',
    sentence:
      "Whether this visitor may be marked, for example by the site's cookie banner. If it fails, the visitor is not marked. After `undefined`, which means not asked yet, nothing is set on the device, pages of the site get the parameter (by default `via`), and `conversions.accept` sets the cookie [later](conversions.md#consent-that-comes-later).",
  },
  parameter: {
    ...word(32, 'A-Z a-z 0-9 - _', String.raw`[\w-]`),
    sentence:
      'The parameter, such as `via`, with which destinations on other hosts get the value of the cookie. Without it they get none. A presigned URL, such as one of S3 or CloudFront, never gets it: its query has a parameter that is or ends with `signature`, `sig` or `hmac`.',
  },
  parameterFor: {
    ...callback<(destination: URL) => boolean>(),
    defaultCode: '() => true',
    sentence: 'Whether a destination gets the parameter. If it fails, the visitor is not marked.',
    example: "({hostname}) => hostname.endsWith('.example')",
  },
} as const satisfies OptionTable<AttributionOptions>;
