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
  const refusing = sharedSite({world});

  test('short_url may be any base64', async (t) => {
    const site = await startSite(t, {world});
    // Their base64 has none, two and one characters of padding.
    for (const part of ['abc', 'abcd', 'abcde']) {
      const link = await site.create({custom_url: part});
      for (const variant of variantNames) {
        const text = variants[variant](link.short_url);
        t.is(accepted(t, await site.call(`info/short_url/${text}.json`)).url_id, link.url_id);
        t.is(accepted(t, await site.call(`disable/short_url/${text}`)).url_id, link.url_id);
        t.is(accepted(t, await site.call(`enable/short_url/${encodeURIComponent(text)}.json`)).url_id, link.url_id);
      }
    }
  });

  test('the characters of base64 may be percent-encoded, in upper or lower case', async (t) => {
    const site = await startSite(t, {world});
    const upper = encodeURIComponent(standard(awkward));
    const lower = upper.replaceAll(/%2[BF]|%3D/g, (escape) => escape.toLowerCase());
    for (const value of [lower, standard(awkward).replace('/', '%2F')]) {
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

  test('a URL instead of its base64 is a malformed_base64, and the message says what to do', async (t) => {
    const site = await refusing();
    const page = 'https://destination.example/page.html';
    for (const value of [
      page,
      'https:/destination.example/page',
      'https://destination.example',
      encodeURIComponent(page),
      encodeURIComponent(encodeURIComponent(page)),
      'HTTPS://DESTINATION.EXAMPLE:8443/a.b',
      'ftp://destination.example/a.b',
      'https://destination.example/custom_url/spring',
    ]) {
      const paths = [`create/url/${value}`, `create/url/${value}/expiry_date/2031-06-07`, `info/short_url/${value}`];
      for (const path of paths.flatMap((rest) => ['', '.json', '.xml'].map((suffix) => rest + suffix))) {
        const message = refused(t, await site.call(path), 'malformed_base64');
        t.regex(message, /must be base64\. In the URL-safe alphabet, .*aHR0cHM6/, path);
        t.false(message.includes('destination'));
      }
    }
    t.deepEqual(await site.list(), []);
  });

  const good = urlSafe('https://destination.example/');
  test('what is no base64 is a malformed_base64, in url and in short_url', async (t) => {
    const site = await refusing();
    for (const value of [
      'a',
      `${good}%0A`,
      `${good.slice(0, 8)}%20${good.slice(8)}`,
      '-_%2B%2F',
      `${good.slice(0, 4)}%EF%BC%A1${good.slice(4)}`,
      urlSafe(Uint8Array.of(0x68, 0xff, 0xfe)),
    ]) {
      refused(t, await site.call(`create/url/${value}/custom_url/spring.json`), 'malformed_base64');
      refused(t, await site.call(`create/custom_url/spring/url/${value}.xml`), 'malformed_base64');
      refused(t, await site.call(`info/short_url/${value}.json`), 'malformed_base64');
    }
    t.deepEqual(await site.list(), []);
  });
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
