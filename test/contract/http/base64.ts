import test from 'ava';
import fc from 'fast-check';
import {accepted, refused} from '../../support/answers.ts';
import {standard, urlSafe, variantNames, variants, type Variant} from '../../support/base64.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

/** Its standard base64 has plus signs, slashes and padding. */
const awkward = 'https://destination.example/?a=???>>>~~~&b=ä&c=>?>?1';

/** Its standard base64 ends with a slash. */
const slashLast = 'https://destination.example/??';

/** Base64 in a path. */
export function base64(world: World): void {
  // For tests that create nothing.
  const refusing = sharedSite({world});

  for (const variant of variantNames) {
    test(`url may be base64 that is ${variant}: last, before other parameters and between them`, async (t) => {
      const site = await startSite(t, {world});
      const text = variants[variant](awkward);
      for (const rest of [
        `create/url/${text}.json`,
        `create/url/${text}`,
        `create/url/${text}/custom_url/first.json`,
        `create/expiry_date/2031-06-07/url/${text}/custom_url/second.json`,
        `create/url/${text}/expiry_date/2031-06-07/custom_url/third/base_domain/sho.rt`,
        `create/url/${encodeURIComponent(text)}.json`,
        `create/url/${encodeURIComponent(text)}/custom_url/fourth`,
      ]) {
        t.is(accepted(t, await site.call(rest)).original_url, awkward, rest);
      }
      t.is((await site.list()).length, 7);
      t.is((await site.info(`${site.baseUrl}/second`)).expiry_date, '2031-06-07 23:59:59');
    });

    test(`short_url may be base64 that is ${variant}`, async (t) => {
      const site = await startSite(t, {world});
      // Their base64 has none, two and one characters of padding.
      for (const part of ['abc', 'abcd', 'abcde']) {
        const link = await site.create({custom_url: part});
        const text = variants[variant](link.short_url);
        t.is(accepted(t, await site.call(`info/short_url/${text}.json`)).url_id, link.url_id);
        t.is(accepted(t, await site.call(`disable/short_url/${text}`)).url_id, link.url_id);
        t.is(accepted(t, await site.call(`enable/short_url/${encodeURIComponent(text)}.json`)).url_id, link.url_id);
      }
    });
  }

  test('the characters of base64 may be percent-encoded, in upper or lower case', async (t) => {
    const site = await startSite(t, {world});
    const text = standard(awkward);
    const upper = text.replaceAll('/', '%2F').replaceAll('+', '%2B').replaceAll('=', '%3D');
    const lower = text.replaceAll('/', '%2f').replaceAll('+', '%2b').replaceAll('=', '%3d');
    const mixed = text.replace('/', '%2F');
    for (const value of [upper, lower, mixed]) {
      t.is(accepted(t, await site.call(`create/url/${value}.json`)).original_url, awkward);
      t.is(accepted(t, await site.call(`create/url/${value}/expiry_date/2031-06-07.json`)).original_url, awkward);
    }
  });

  test('a base64 value may end with a slash anywhere in the path', async (t) => {
    const site = await startSite(t, {world});
    const text = standard(slashLast);
    for (const rest of [
      `create/url/${text}.json`,
      `create/url/${text}`,
      `create/custom_url/first/url/${text}.json`,
      `create/url/${text}/custom_url/second.json`,
      `create/url/${text}/custom_url/third/expiry_date/2031-06-07`,
    ]) {
      t.is(accepted(t, await site.call(rest)).original_url, slashLast, rest);
    }
    t.is((await site.info(`${site.baseUrl}/third`)).expiry_date, '2031-06-07 23:59:59');
  });

  const plain = {
    'as it is': 'https://destination.example/page',
    'with slashes that a proxy has merged': 'https:/destination.example/page',
    'with a dot at its end': 'https://destination.example',
    'with a file name at its end': 'http://destination.example/a/page.html',
    'with a slash at its end': 'https://destination.example/',
    'with a query': 'https://destination.example/page?a=b.c',
    'percent-encoded': encodeURIComponent('https://destination.example/page.html'),
    'percent-encoded twice': encodeURIComponent(encodeURIComponent('https://destination.example/page.html')),
    'in upper case, with a port': 'HTTPS://DESTINATION.EXAMPLE:8443/a.b',
    'of another scheme': 'ftp://destination.example/a.b',
    'with words that are parameters': 'https://destination.example/custom_url/spring',
  };
  for (const [what, value] of Object.entries(plain)) {
    test(`a URL ${what} instead of its base64 is a malformed_base64, and the message says what to do`, async (t) => {
      const site = await refusing();
      for (const rest of [
        `create/url/${value}`,
        `create/custom_url/spring/url/${value}`,
        `create/url/${value}/expiry_date/2031-06-07`,
        `info/short_url/${value}`,
        `disable/short_url/${value}`,
        `enable/short_url/${value}`,
      ]) {
        for (const suffix of ['', '.json', '.xml']) {
          const message = refused(t, await site.call(rest + suffix), 'malformed_base64');
          t.regex(message, /must be base64\. In the URL-safe alphabet, .*aHR0cHM6/, rest);
          t.false(message.includes('destination'));
        }
      }
      t.deepEqual(await site.list(), []);
    });
  }

  const good = urlSafe('https://destination.example/');
  const malformed = {
    'one character too many': `${standard('abc')}a`,
    'a single character': 'a',
    'characters of no alphabet': '****',
    'a character of no alphabet in the middle': `${good.slice(0, 8)}!${good.slice(9)}`,
    'a percent-encoded space': `${good.slice(0, 8)}%20${good.slice(8)}`,
    'a percent-encoded line feed': `${good}%0A`,
    'both alphabets in one value': '-_%2B%2F',
    'padding in the middle': 'YWI=YWI=',
    'padding alone': '====',
    'too much padding': 'YWI==',
    'too little padding': 'YQ=',
    'a character outside ASCII': `${good}%C3%A4`,
    'a fullwidth letter': `${good.slice(0, 4)}%EF%BC%A1${good.slice(4)}`,
    'a long URL that is not encoded': encodeURIComponent('https://destination.example/'),
    'bytes that are no UTF-8': urlSafe(Uint8Array.of(0x68, 0xff, 0xfe)),
    'an overlong UTF-8 sequence': urlSafe(Uint8Array.of(0x68, 0xc0, 0xaf)),
    'a lone surrogate': urlSafe(Uint8Array.of(0x68, 0xed, 0xa0, 0x80)),
    'a UTF-8 sequence that breaks off': urlSafe(Uint8Array.of(0x68, 0xe2, 0x82)),
  };
  for (const [what, value] of Object.entries(malformed)) {
    test(`${what} is a malformed_base64, in url and in short_url`, async (t) => {
      const site = await refusing();
      refused(t, await site.call(`create/url/${value}.json`), 'malformed_base64');
      refused(t, await site.call(`create/url/${value}/custom_url/spring.json`), 'malformed_base64');
      refused(t, await site.call(`create/custom_url/spring/url/${value}.xml`), 'malformed_base64');
      refused(t, await site.call(`info/short_url/${value}.json`), 'malformed_base64');
      t.deepEqual(await site.list(), []);
    });
  }
}

/** The same for arbitrary URLs. */
export function anyBase64(world: World): void {
  test('any long URL comes back exactly, in any base64 and any position', async (t) => {
    const site = await startSite(t, {world});
    const places: Record<string, (value: string) => string> = {
      last: (value) => `create/url/${value}.json`,
      first: (value) => `create/url/${value}/expiry_date/2031-06-07.json`,
      middle: (value) => `create/expiry_date/2031-06-07/url/${value}/base_domain/sho.rt.json`,
    };
    const long = fc.string({unit: 'grapheme', maxLength: 60}).map((text) => `https://destination.example/?${text}.`);
    await fc.assert(
      fc.asyncProperty(
        long.filter((url) => !/\p{Cc}/u.test(url)),
        fc.constantFrom<Variant>(...variantNames),
        fc.constantFrom(...Object.keys(places)),
        fc.boolean(),
        async (url, variant, place, escaped) => {
          const text = variants[variant](url);
          const reply = await site.call(places[place]?.(escaped ? encodeURIComponent(text) : text) ?? '');
          return reply.status === 200 && reply.json().data.original_url === url;
        },
      ),
      {numRuns: 40},
    );
    t.pass();
  });
}
