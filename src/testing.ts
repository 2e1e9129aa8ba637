export {
  type KitOptions,
  type TestClock,
  type TestLink,
  type TestLinks,
  type TestOutage,
  type TestShortUrl,
  type TestShortUrlOptions,
  testShortUrl,
} from './testing/kit.ts';
