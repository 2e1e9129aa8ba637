import type {CreateLink} from '../../src/index.ts';
import type {GivenName} from '../../src/link/fields.ts';

const url = 'https://destination.example/';
const longest = (max: number): string => '𝒳'.repeat(max);
const dates = ['0000-01-01', '0099-12-31', '1899-12-31', '1900-01-01', '9999-12-31', new Date('9999-12-31T23:59:59Z')];

/** The smallest and largest values of each field, and some that have been lost. */
export const extremes: {readonly [Name in GivenName]: ReadonlyArray<NonNullable<CreateLink[Name]>>} = {
  url: ['http://a/', url.padEnd(8192, 'a'), 'https://müller.example/ä?b=c#d'],
  customUrl: ['a', '0'.repeat(64), 'a.b~c'],
  password: ['x', 'ü'.repeat(64)],
  expiryDate: ['2031-05-06', '2031-05-06T12:00:00Z', ...dates.slice(-2), '9999-12-31 23:59'],
  baseDomain: ['example.com', 'sho.rt'],
  title: ['a', longest(200), '=1'],
  tags: [[], ['a'], Array.from({length: 20}, (_, index) => longest(48) + String(index + 10))],
  maxVisits: [1, 1_000_000_000],
  startDate: dates,
  expiredUrl: ['http://a/', 'https://müller.example/'],
  forwardQuery: [true, false],
  confirm: [true, false],
  rules: [
    [],
    [{from: '0000-01-01', until: '9999-12-31', url}],
    Array.from({length: 10}, () => ({device: 'ios' as const, language: 'zh-Hant-TW', country: 'GB', url})),
    [
      {share: 99, name: longest(32), url},
      {share: 1, url},
    ],
  ],
  previewTitle: ['a', longest(200)],
  previewDescription: ['a', longest(500)],
  previewImage: ['https://a/', 'https://müller.example/ä.png'],
  reference: ['a', longest(128)],
  utm: [{source: 'a'}, {content: '=1'}, {campaign: longest(100), term: 'ä b&c'}],
};
