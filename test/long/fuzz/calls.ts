import fc, {type Arbitrary} from 'fast-check';
import {type Keys, slugs} from './site.ts';
import {base64, escaping, inherited, mostly, mutation, text} from './texts.ts';

/** API paths with at most one or two errors, so that later checks are reached too. */

type Pair = readonly [name: string, value: string];

const destinations = mostly(
  fc.oneof(
    fc.constant('https://destination.example/page'),
    fc.webUrl({withQueryParameters: true, withFragments: true, validSchemes: ['http', 'https']}),
    text.map((part) => `https://destination.example/?${part}`),
    text.map((part) => `HTTP://user:${part}@destination.example:8080/${part}#${part}`),
    fc.constantFrom('http://[::1]/', 'https://日本.example/', 'http://1', 'https://a.example/\u00a0b', 'http:\\\\x\\y'),
  ),
  fc.oneof(
    fc.constantFrom(...slugs).map((slug) => `https://example.com/${slug}`),
    fc.constantFrom('http://SHO.RT:81/live', 'https://go.example.org/x//live', 'https://example.com/api/v1/a/b'),
    fc.constantFrom('javascript:alert(1)', 'data:text/html,x', '//example.org', 'page', 'http://', 'https://a b/'),
    fc.constantFrom(`https://a.example/${'a'.repeat(8200)}`, `https://a.example/${'é'.repeat(2500)}`),
    text,
  ),
  4,
);

const shortUrls = mostly(
  fc
    .tuple(
      fc.constantFrom(
        'https://example.com/',
        'http://EXAMPLE.com:8080/',
        'https://sho.rt/',
        'https://go.example.org/x/',
      ),
      mostly(fc.constantFrom(...slugs), fc.oneof(text, fc.constantFrom('none', 'LIVE', ...inherited)), 6),
    )
    .map(([base, slug]) => base + slug),
  fc.oneof(
    fc.constantFrom('https://foreign.example/live', 'live', '/live', 'https://example.com', 'ftp://sho.rt/live'),
    text,
  ),
);

/** Base64 of a text, or a value that is not base64. */
function encoded(plain: Arbitrary<string>): Arbitrary<string> {
  const bytes = fc.uint8Array({minLength: 1, maxLength: 12});
  return fc.oneof(
    {weight: 16, arbitrary: fc.tuple(base64, plain).map(([encode, value]) => encode(value))},
    {weight: 1, arbitrary: fc.tuple(base64, bytes).map(([encode, value]) => encode(value))},
    {weight: 1, arbitrary: fc.constantFrom('!', 'a', 'aGk=x', '=', '/w==', 'aHR0c+_', '7aCA')},
    {weight: 1, arbitrary: text},
  );
}

const customUrls = mostly(
  fc.oneof(fc.stringMatching(/^[\w-]{4,8}$/), fc.constantFrom(...slugs, ...inherited)),
  fc.oneof(fc.constantFrom('api', 'API', 'a b', 'x'.repeat(65)), text),
  4,
);
// Hashing takes a tenth of a second, so most passwords are refused before it.
const passwords = fc.oneof(
  {weight: 1, arbitrary: fc.constant('s3cret')},
  {weight: 12, arbitrary: fc.constantFrom('x'.repeat(129), 'é'.repeat(65))},
);
const dates = mostly(
  fc.constantFrom('2031-05-06', '2031-12-31', '9999-12-31'),
  fc.oneof(fc.constantFrom('2031-05-05', '2031-02-30', '1970-01-01', '31-12-2031', '2031-1-1', '+012031-01-01'), text),
  4,
);
const domains = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('example.com', 'sho.rt', 'SHO.RT', 'go.example.org', 'sho.rt:8080', 'sho.rt.'),
  },
  {weight: 1, arbitrary: fc.constantFrom('https://sho.rt', 'sho.rt/', 'http:sho.rt', 'x\\y')},
  {weight: 1, arbitrary: fc.constantFrom('foreign.example', 'user@sho.rt', '[::1]', '[', '', ...inherited)},
  {weight: 1, arbitrary: text},
);

const titles = mostly(
  fc.constantFrom('Spring', 'a & b', '日本 😀', 'x'.repeat(200), ...inherited),
  fc.oneof(fc.constantFrom('', ' ', 'x'.repeat(201), 'a\nb'), text),
  4,
);
const tags = mostly(
  fc
    .array(fc.constantFrom('mail', 'Mail', 'zoë', ...inherited), {minLength: 1, maxLength: 4})
    .map((each) => each.join()),
  fc.oneof(fc.constantFrom('a,,b', ',', 'x'.repeat(51), 'x,'.repeat(20) + 'y', ' a'), text),
  4,
);
const visitLimits = mostly(
  fc.constantFrom('1', '2', '007', '1000000000'),
  fc.oneof(fc.constantFrom('0', '-1', '1.5', '1e3', '1000000001', '9'.repeat(400), '１'), text),
  4,
);
const flags = mostly(fc.constantFrom('true', 'false'), fc.oneof(fc.constantFrom('1', 'TRUE', ''), text), 4);
const rules = mostly(
  fc
    .array(
      fc.record({
        device: fc.constantFrom('ios', 'android', 'desktop', 'phone'),
        language: fc.constantFrom('de', 'pt-BR', ...inherited),
        url: destinations,
      }),
      {maxLength: 11},
    )
    .map((list) => JSON.stringify(list)),
  fc.oneof(fc.constantFrom('[[]]', '{}', 'null', '[null]', '[{"__proto__":{}}]', '['.repeat(5000)), text),
  4,
);
const clears = mostly(
  fc
    .subarray(
      ['password', 'expiry_date', 'title', 'tags', 'max_visits', 'start_date', 'expired_url', 'forward_query', 'rules'],
      {minLength: 1},
    )
    .map((names) => names.join()),
  fc.oneof(fc.constantFrom('url', 'title,title', 'title,', ...inherited), text),
  4,
);

const maybe = <Value>(value: Arbitrary<Value>) => fc.option(value, {freq: 2, nil: undefined});
const rarely = <Value>(value: Arbitrary<Value>) => fc.option(value, {freq: 4, nil: undefined});
const pair =
  (name: string) =>
  (value: string | undefined): Pair[] =>
    value === undefined ? [] : [[name, value]];

/** The same pairs in another order. */
function turned(pairs: Pair[], turn: number): Pair[] {
  return [...pairs.slice(turn % pairs.length), ...pairs.slice(0, turn % pairs.length)];
}

/** Optional labels of a link, mostly none. */
const labels: Arbitrary<Pair[]> = fc
  .tuple(
    rarely(titles).map(pair('title')),
    rarely(tags).map(pair('tags')),
    rarely(visitLimits).map(pair('max_visits')),
    rarely(dates).map(pair('start_date')),
    rarely(encoded(destinations)).map(pair('expired_url')),
    rarely(flags).map(pair('forward_query')),
    rarely(encoded(rules)).map(pair('rules')),
  )
  .map((pairs) => pairs.flat());

const creation: Arbitrary<Pair[]> = fc
  .tuple(
    maybe(customUrls).map(pair('custom_url')),
    fc.oneof({weight: 24, arbitrary: fc.constant(undefined)}, {weight: 1, arbitrary: passwords}).map(pair('password')),
    maybe(dates).map(pair('expiry_date')),
    maybe(domains).map(pair('base_domain')),
    labels,
    encoded(destinations).map(pair('url')),
    fc.nat({max: 4}),
  )
  .map(([custom, secret, date, domain, labelled, url, turn]) =>
    turned([...custom, ...secret, ...date, ...domain, ...labelled, ...url], turn),
  );

const limits = mostly(
  fc.constantFrom('1', '2', '1000'),
  fc.oneof(fc.constantFrom('0', '1001', '-1', '1.5', '１'), text),
);
const cursors = mostly(
  fc
    .tuple(fc.constantFrom('after', 'after', 'before'), fc.nat({max: 9}))
    .map(([word, position]) => Buffer.from(`${word} ${position}`).toString('base64url')),
  fc.oneof(fc.constantFrom('YWZ0ZXI', 'YWZ0ZXIgOTk5OTk5OTk5OTk5OTk5OQ', 'x'), text),
);
const paging: Arbitrary<Pair[]> = fc
  .tuple(maybe(limits).map(pair('limit')), maybe(cursors).map(pair('cursor')))
  .map((pairs) => pairs.flat());
const conditions: Arbitrary<Pair[]> = fc
  .tuple(
    maybe(
      mostly(fc.constantFrom('active', 'disabled', 'expired'), fc.oneof(fc.constantFrom('removed', 'Active'), text)),
    ),
    rarely(tags),
    rarely(fc.oneof(fc.constantFrom('a', 'LIVE', 'example.com', 'a'.repeat(3000)), text)),
    maybe(mostly(fc.constantFrom('newest', 'oldest'), fc.oneof(fc.constantFrom('random', ...inherited), text))),
    paging,
  )
  .map(([status, tag, search, order, pages]) => {
    const named = {status, tag, search, order};
    return [...Object.entries(named).flatMap(([name, value]) => pair(name)(value)), ...pages];
  });
const naming: Arbitrary<Pair[]> = encoded(shortUrls).map(pair('short_url'));

const changing: Arbitrary<Pair[]> = fc
  .tuple(
    naming,
    rarely(encoded(destinations)).map(pair('url')),
    fc.oneof({weight: 24, arbitrary: fc.constant(undefined)}, {weight: 1, arbitrary: passwords}).map(pair('password')),
    rarely(dates).map(pair('expiry_date')),
    labels,
    rarely(clears).map(pair('clear')),
    fc.nat({max: 4}),
  )
  .map(([link, url, secret, date, labelled, cleared, turn]) =>
    turned([...link, ...url, ...secret, ...date, ...labelled, ...cleared], turn),
  );

const operations: Arbitrary<readonly [operation: string, pairs: Pair[]]> = fc.oneof(
  {weight: 8, arbitrary: fc.tuple(fc.constant('create'), creation)},
  {weight: 3, arbitrary: fc.tuple(fc.constant('info'), naming)},
  {weight: 6, arbitrary: fc.tuple(fc.constantFrom('disable', 'enable', 'enable'), naming)},
  {weight: 2, arbitrary: fc.tuple(fc.constant('list_active_urls'), paging)},
  {weight: 6, arbitrary: fc.tuple(fc.constant('update'), changing)},
  {weight: 1, arbitrary: fc.tuple(fc.constant('remove'), naming)},
  {weight: 2, arbitrary: fc.tuple(fc.constant('stats'), naming)},
  {weight: 4, arbitrary: fc.tuple(fc.constant('list_urls'), conditions)},
  {weight: 1, arbitrary: fc.tuple(fc.oneof(fc.constantFrom(...inherited), text.map(encodeURIComponent)), creation)},
);

/** A missing pair, or one too many, or one of another operation. */
const pairFaults: Arbitrary<(pairs: Pair[]) => Pair[]> = fc.oneof(
  {weight: 24, arbitrary: fc.constant((pairs: Pair[]) => pairs)},
  {weight: 1, arbitrary: fc.constant((pairs: Pair[]) => [...pairs, ...pairs.slice(0, 1)])},
  {weight: 1, arbitrary: fc.constant((pairs: Pair[]) => pairs.slice(1))},
  {
    weight: 1,
    arbitrary: fc.constant((pairs: Pair[]) => pairs.map(([name], index): Pair => [name, index === 0 ? '' : 'x'])),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.oneof(fc.constantFrom(...inherited, 'key', 'URL', ''), text.map(encodeURIComponent)), text)
      .map(([name, value]) => (pairs: Pair[]): Pair[] => [[name, value], ...pairs]),
  },
);

const suffixes = fc.oneof(
  {weight: 10, arbitrary: fc.constantFrom('.json', '.xml', '.XML', '')},
  {weight: 1, arbitrary: fc.constantFrom('.yaml', '.', '.json/', '.xml.json', '.jsonp')},
);

/** Mostly a valid key, because nothing else is checked after an invalid one. */
function keyOf(keys: Keys): Arbitrary<string> {
  return fc.oneof(
    {weight: 24, arbitrary: fc.constant(keys.mine)},
    {weight: 4, arbitrary: fc.constant(keys.theirs)},
    {
      weight: 1,
      arbitrary: fc.oneof(fc.constantFrom(keys.old, 'x'.repeat(32), ...inherited), text.map(encodeURIComponent)),
    },
  );
}

/** `Authorization` headers, mostly with a key. */
export function authorizations(keys: Keys): Arbitrary<string> {
  return mostly(
    keyOf(keys).map((key) => `Bearer ${key}`),
    fc.oneof(fc.constantFrom('', 'Bearer', 'Basic eDp5', 'Bearer a b', `bearer  ${keys.mine}`, 'x'.repeat(3000)), text),
    16,
  );
}

/** API paths with and without the key. */
export function calls(keys: Keys): Arbitrary<string> {
  const prefix = fc.oneof(
    {weight: 3, arbitrary: keyOf(keys).map((key) => `${key}/shorturl`)},
    {weight: 2, arbitrary: fc.constant('shorturl')},
  );
  return fc
    .tuple(
      prefix,
      operations,
      pairFaults,
      escaping,
      suffixes,
      mostly(fc.constant<Array<(value: string) => string>>([]), fc.array(mutation, {minLength: 1, maxLength: 2}), 4),
    )
    .map(([start, [operation, pairs], fault, escape, suffix, mutations]) => {
      const segments = fault(pairs).flatMap(([name, value]) => [name, escape(value)]);
      const rest = [operation, ...segments].join('/') + suffix;
      return `/api/v1/${start}/${mutations.reduce((path, mutate) => mutate(path), rest)}`;
    });
}
