import test from 'ava';
import fc from 'fast-check';
import {redactUrl} from '../../../src/index.ts';

const key = 'Vt5-hJq2_mZx8WcRk1nBv7TfYp4LsDg9';

/** The word in other cases, or with some characters percent-encoded. */
const spelt = (word: string): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom('as it is', 'as it is', 'upper', 'escaped', 'escaped twice'), {minLength: 1}).map((ways) =>
    Array.from(word, (character, index) => {
      const escaped = `%${character.charCodeAt(0).toString(16)}`;
      const way = ways[index % ways.length];
      if (way === 'upper') return character.toUpperCase();
      if (way === 'escaped') return escaped;
      return way === 'escaped twice' ? encodeURIComponent(escaped) : character;
    }).join(''),
  );

/** A key is case-sensitive, so only escapes vary. */
const speltKey = fc
  .nat({max: 31})
  .map((at) => `${key.slice(0, at)}%${key.charCodeAt(at).toString(16)}${key.slice(at + 1)}`);
const slash = fc.oneof(
  {weight: 6, arbitrary: fc.constant('/')},
  {weight: 1, arbitrary: fc.constantFrom('//', '/./', '%2F', '%252f', '\\', '%5C', '///', '/%2e/')},
);
/** Passwords that contain two words, which are easy to find again. */
const passwords = fc
  .tuple(
    fc.constantFrom('', ' ', '/', '?', '#', '&', '=', '%', '+', ';', '@', '.', '\\', '"', 'é', '//', '/?&', '.json'),
    fc.constantFrom<(text: string) => string>(
      (text) => text,
      encodeURIComponent,
      (text) => encodeURIComponent(encodeURIComponent(text)),
    ),
  )
  .map(([between, escape]) => escape(`Kingfisher${between}Marzipan`));
const others = fc.shuffledSubarray([
  'custom_url/x',
  'expiry_date/2030-01-01',
  'base_domain/sho.rt',
  'url/aHR0cHM6Ly9hLmI',
]);

const callsAsLogged = fc
  .record({
    origin: fc.constantFrom(
      '',
      'https://example.com',
      'HTTP://EXAMPLE.COM:80',
      '//example.com',
      'https://u:Marzipan@a.example',
    ),
    base: fc.constantFrom('', '/s', '/x/y'),
    words: fc.tuple(
      spelt('api'),
      spelt('v1'),
      fc.oneof(fc.constant(key), speltKey),
      spelt('shorturl'),
      spelt('create'),
    ),
    before: others,
    name: spelt('password'),
    password: passwords,
    after: others,
    slashes: fc.array(slash, {minLength: 20, maxLength: 20}),
    end: fc.constantFrom('', '.json', '.XML', '/', '?x=1', '#top', '?password=Marzipan', `?key=${key}`),
    around: fc.constantFrom<(call: string) => string>(
      (call) => call,
      (call) => call.replace(/^[/.\\]+/, ''),
      (call) => `/about?next=${call}`,
      (call) => `/about?next=${encodeURIComponent(call)}&x=1`,
      (call) => `/#!${call}`,
    ),
    length: fc.oneof(
      {weight: 2, arbitrary: fc.constant(Infinity)},
      {weight: 1, arbitrary: fc.integer({min: 60, max: 300})},
    ),
  })
  .map(({origin, base, words, before, name, password, after, slashes, end, around, length}) => {
    const segments = [...words, ...before.flatMap((pair) => pair.split('/')), name, password];
    segments.push(...after.flatMap((pair) => pair.split('/')));
    const path = segments.map((segment, index) => (slashes[index % slashes.length] ?? '/') + segment).join('');
    return around(origin + base + path + end).slice(0, length);
  });

/** The text, and the text with up to five levels of percent-encoding removed. */
function readings(text: string): string {
  let reading = text;
  let all = text;
  for (let turn = 0; turn < 5; turn++) {
    reading = reading.replaceAll(/%([0-7][0-9a-f])/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
    all += ` ${reading}`;
  }
  return all;
}

test('the key and the password are removed from a call, however it is escaped, embedded and truncated', (t) => {
  fc.assert(
    fc.property(callsAsLogged, (url) => {
      const left = readings(redactUrl(url));
      const parts = Array.from({length: 13}, (_, start) => key.slice(start, start + 20));
      return !/Kingf|Marzi/i.test(left) && !parts.some((part) => left.includes(part));
    }),
    {numRuns: 3000},
  );
  t.pass();
});

test('the key and the password are removed, whatever segments surround them', (t) => {
  const segment = fc.stringMatching(/^[\w%=~.-]{0,12}$/);
  const password = fc.stringMatching(/^[A-Z]{4}\d{4}[\w~.%!-]{0,8}$/);
  fc.assert(
    fc.property(
      fc.array(segment, {maxLength: 3}),
      password,
      fc.array(segment, {maxLength: 3}),
      (before, secret, after) => {
        const path = ['/api/v1', key, 'shorturl/create', ...before, 'password', secret, ...after].join('/');
        const redacted = redactUrl(path);
        return !redacted.includes(key) && !redacted.includes(secret);
      },
    ),
  );
  t.pass();
});
