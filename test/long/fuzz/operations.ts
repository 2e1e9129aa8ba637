import fc, {type Arbitrary} from 'fast-check';
import {clearable} from '../../../src/http/api/known-parameters.ts';
import {type Keys, slugs} from './site.ts';
import {base64, inherited, mostly, text, weighted} from './texts.ts';

/** Operations of the API with at most one or two errors, so that later checks are reached too. */

/** A parameter as the path of a GET has it, and as the body of a POST has it. */
export interface Parameter {
  readonly name: string;
  /** Not escaped yet. */
  readonly text: string;
  readonly value: unknown;
}

export interface Operation {
  readonly name: string;
  readonly parameters: readonly Parameter[];
}

type Parameters = Arbitrary<readonly Parameter[]>;

/** Values of no or another type. The last ones are nested deeper than any operation needs. */
const strangers = fc.constantFrom<unknown>(
  ...[null, true, 0, -1, 1.5, 1e300, '', '1', 'true', [], [''], [null], [[]], {}, {url: 1}],
  ...[Object.fromEntries([['__proto__', {x: 1}]]), JSON.parse(`${'['.repeat(14)}${']'.repeat(14)}`)],
  JSON.parse(`${'{"a":'.repeat(30)}1${'}'.repeat(30)}`),
);

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

const customUrls = mostly(
  fc.oneof(fc.stringMatching(/^[\w-]{4,8}$/), fc.constantFrom(...slugs, ...inherited)),
  fc.oneof(fc.constantFrom('api', 'API', 'a b', 'x'.repeat(65)), text),
  4,
);
// Hashing takes a tenth of a second, so most passwords are refused before it.
const passwords = weighted([1, fc.constant('s3cret')], [12, fc.constantFrom('x'.repeat(129), 'é'.repeat(65))]);
const dates = mostly(
  fc.constantFrom('2031-05-06', '2031-12-31', '9999-12-31'),
  fc.oneof(fc.constantFrom('2031-05-05', '2031-02-30', '1970-01-01', '31-12-2031', '2031-1-1', '+012031-01-01'), text),
  4,
);
const domains = weighted(
  [6, fc.constantFrom('example.com', 'sho.rt', 'SHO.RT', 'go.example.org', 'sho.rt:8080', 'sho.rt.')],
  [1, fc.constantFrom('https://sho.rt', 'sho.rt/', 'http:sho.rt', 'x\\y')],
  [1, fc.constantFrom('foreign.example', 'user@sho.rt', '[::1]', '[', '', ...inherited)],
  [1, text],
);

const titles = mostly(
  fc.constantFrom('Spring', 'a & b', '日本 😀', 'x'.repeat(200), ...inherited),
  fc.oneof(fc.constantFrom('', ' ', 'x'.repeat(201), 'a\nb'), text),
  4,
);
const tags = mostly<unknown>(
  fc.array(fc.constantFrom('mail', 'Mail', 'zoë', ...inherited), {minLength: 1, maxLength: 4}),
  fc.oneof(
    fc.constantFrom(['a', '', 'b'], ['', ''], ['x'.repeat(51)], Array.from('abcdefghijklmnopqrstu'), [' a'], ['a,b']),
    text,
  ),
  4,
);
const references = mostly(
  fc.constantFrom('order 1', 'order 2', 'ü/1', ...inherited),
  fc.oneof(fc.constantFrom('', ' ', 'x'.repeat(129), 'a\nb'), text),
  4,
);
const visitLimits = mostly<unknown>(
  fc.constantFrom(1, 2, 1_000_000_000),
  fc.oneof(fc.constantFrom(0, -1, 1.5, 1_000_000_001, '007', '1e3', '9'.repeat(400), '１'), text),
  4,
);
const flags = mostly<unknown>(fc.boolean(), fc.oneof(fc.constantFrom('true', '1', 'TRUE', ''), text), 4);
const campaigns = mostly<unknown>(
  fc.record({source: text, campaign: fc.constantFrom('spring', 'a&b=c#d')}, {requiredKeys: ['campaign']}),
  fc.oneof(fc.constantFrom<unknown>({}, null, [], {source: 5}, JSON.parse('{"__proto__": {"source": "a"}}')), text),
  4,
);
const groupings = mostly<unknown>(fc.constantFrom('tag', 'source', 'medium', 'campaign'), text, 4);
const rules = mostly<unknown>(
  fc.array(
    fc.record(
      {
        device: mostly(fc.constantFrom('ios', 'android', 'desktop'), fc.constant('phone')),
        language: mostly(fc.constantFrom('de', 'pt-BR'), fc.constantFrom(...inherited)),
        country: mostly(fc.constantFrom('DE', 'FR'), fc.constantFrom('de', 'DEU')),
        from: dates,
        until: dates,
        share: mostly(fc.integer({min: 1, max: 99}), fc.constantFrom<unknown>(0, 100, '5', 1.5)),
        name: mostly(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('A', 'other', '', '~:a')),
        url: destinations,
      },
      {requiredKeys: ['language', 'url']},
    ),
    {maxLength: 11, size: '-1'},
  ),
  fc.oneof(fc.constantFrom<unknown>([[]], {}, null, [null], [JSON.parse('{"__proto__": {}}')], '['.repeat(5000)), text),
  4,
);
const clears = mostly<unknown>(
  fc.subarray([...clearable], {minLength: 1}),
  fc.oneof(fc.constantFrom(['url'], ['title', 'title'], ['title', ''], [], ...inherited), text),
  4,
);
const limits = mostly<unknown>(fc.constantFrom(1, 2, 1000), fc.oneof(fc.constantFrom(0, 1001, -1, 1.5, '１'), text));
const cursors = mostly(
  fc
    .tuple(fc.constantFrom('after', 'after', 'before'), fc.nat({max: 9}))
    .map(([word, position]) => Buffer.from(`${word} ${position}`).toString('base64url')),
  fc.oneof(fc.constantFrom('YWZ0ZXI', 'YWZ0ZXIgOTk5OTk5OTk5OTk5OTk5OQ', 'x'), text),
);

function plain(name: string, values: Arbitrary<unknown>): Parameters {
  return values.map((value) => [{name, text: String(value), value}]);
}

/** Base64 of a text, or a text that is not base64. */
const spellings: Arbitrary<(value: string) => string> = weighted(
  [16, base64],
  [1, fc.tuple(base64, fc.uint8Array({minLength: 1, maxLength: 12})).map(([encode, bytes]) => always(encode(bytes)))],
  [1, fc.constantFrom('!', 'a', 'aGk=x', '=', '/w==', 'aHR0c+_', '7aCA').map(always)],
  [1, text.map(always)],
);

function always<Value>(value: Value): () => Value {
  return () => value;
}

/** A parameter that a path has in base64. */
function encoded(name: string, values: Arbitrary<unknown>): Parameters {
  return fc
    .tuple(values, spellings)
    .map(([value, spell]) => [{name, text: spell(typeof value === 'string' ? value : JSON.stringify(value)), value}]);
}

/** @param weight in eight */
function sometimes(parameters: Parameters, weight = 1): Parameters {
  return weighted([8 - weight, fc.constant([])], [weight, parameters]);
}

function rarely(parameters: Parameters): Parameters {
  return weighted([24, fc.constant([])], [1, parameters]);
}

/** All of them, beginning with any. */
function together(...parameters: readonly Parameters[]): Parameters {
  return fc.tuple(fc.nat({max: 4}), ...parameters).map(([turn, ...each]) => {
    const all = each.flat();
    return [...all.slice(turn % all.length), ...all.slice(0, turn % all.length)];
  });
}

const deciding = together(
  sometimes(plain('start_date', dates)),
  sometimes(encoded('expired_url', destinations)),
  sometimes(plain('forward_query', flags)),
  sometimes(encoded('rules', rules)),
  sometimes(encoded('utm', campaigns)),
);
const labels = together(
  sometimes(plain('title', titles)),
  sometimes(plain('tags', tags)),
  sometimes(plain('max_visits', visitLimits)),
  sometimes(plain('reference', references)),
);
const naming = encoded('short_url', shortUrls);
const creation = together(
  sometimes(plain('custom_url', customUrls), 4),
  rarely(plain('password', passwords)),
  sometimes(plain('expiry_date', dates)),
  sometimes(plain('base_domain', domains), 2),
  labels,
  deciding,
  encoded('url', destinations),
);
const changing = together(
  naming,
  sometimes(encoded('url', destinations)),
  rarely(plain('password', passwords)),
  sometimes(plain('expiry_date', dates), 2),
  labels,
  deciding,
  sometimes(plain('clear', clears)),
);
const paging = together(sometimes(plain('limit', limits), 4), sometimes(plain('cursor', cursors), 4));
const conditions = together(
  sometimes(
    plain(
      'status',
      mostly(
        fc.constantFrom('active', 'disabled', 'expired', 'scheduled'),
        fc.oneof(fc.constantFrom('removed', 'Active'), text),
      ),
    ),
    2,
  ),
  sometimes(plain('tag', fc.oneof(fc.constantFrom('mail', 'Mail', 'zoë', '', 'x'.repeat(51)), text))),
  sometimes(plain('search', fc.oneof(fc.constantFrom('a', 'LIVE', 'example.com', 'a'.repeat(3000)), text))),
);
const listing = together(
  conditions,
  sometimes(plain('reference', references)),
  sometimes(order('newest', 'oldest'), 2),
  paging,
);
const days = mostly(fc.constantFrom('2031-04-01', '2031-05-06'), fc.oneof(fc.constantFrom('2031-02-30', ''), text));
const span = together(sometimes(plain('from', days)), sometimes(plain('until', days)));
const comparing = together(
  conditions,
  span,
  sometimes(order('visits', 'conversions', 'value'), 2),
  sometimes(plain('name', mostly(fc.constant('order'), fc.oneof(fc.constantFrom('Order', ...inherited), text)))),
  sometimes(plain('currency', mostly(fc.constant('EUR'), fc.oneof(fc.constantFrom('eur', ...inherited), text)))),
  paging,
);

function order(...orders: readonly string[]): Parameters {
  return plain('order', mostly(fc.constantFrom(...orders), fc.oneof(fc.constantFrom('random', ...inherited), text)));
}

/** A list of objects, of which most are in order; or a list that is refused as a whole. */
function many(items: Parameters): Arbitrary<unknown> {
  const item = mostly<unknown>(
    items.map((parameters) => Object.fromEntries(parameters.map(({name, value}) => [name, value]))),
    strangers,
  );
  return weighted(
    [16, fc.array(item, {minLength: 1, maxLength: 4})],
    [1, fc.constantFrom(1000, 1001).map((length) => Array.from({length}, () => ({})))],
    [2, strangers],
  );
}

const change = together(
  changing,
  sometimes(
    plain(
      'status',
      mostly(
        fc.constantFrom('disabled', 'active', 'removed'),
        fc.oneof(fc.constantFrom('expired', ...inherited), strangers),
      ),
    ),
  ),
);

function operation(names: Arbitrary<string>, parameters: Parameters): Arbitrary<Operation> {
  return fc.record({name: names, parameters});
}

/** A parameter too few or too many, or one of another operation or of another type. */
const faults: Arbitrary<(parameters: readonly Parameter[]) => readonly Parameter[]> = weighted(
  [24, fc.constant((given: readonly Parameter[]) => given)],
  [1, fc.constant((given: readonly Parameter[]) => [...given, ...given.slice(0, 1)])],
  [1, fc.constant((given: readonly Parameter[]) => given.slice(1))],
  [
    1,
    fc.constant((given: readonly Parameter[]) =>
      given.map(({name}, index): Parameter => ({name, text: index === 0 ? '' : 'x', value: 'x'})),
    ),
  ],
  [
    1,
    strangers.map((value) => ([first, ...rest]: readonly Parameter[]) => [
      ...(first === undefined ? [] : [{...first, value}]),
      ...rest,
    ]),
  ],
  [
    1,
    fc
      .tuple(fc.oneof(fc.constantFrom(...inherited, 'key', 'URL', ''), text.map(encodeURIComponent)), text)
      .map(([name, value]) => (given: readonly Parameter[]) => [{name, text: value, value}, ...given]),
  ],
);

function withFaults(operations: Arbitrary<Operation>): Arbitrary<Operation> {
  return fc.tuple(operations, faults).map(([{name, parameters}, fault]) => ({name, parameters: fault(parameters)}));
}

/** Operations that have a GET and a POST. */
export const common: Arbitrary<Operation> = withFaults(
  weighted(
    [10, operation(fc.constant('create'), creation)],
    [3, operation(fc.constant('info'), fc.oneof(naming, plain('reference', references)))],
    [6, operation(fc.constantFrom('disable', 'enable', 'enable'), naming)],
    [2, operation(fc.constant('list_active_urls'), paging)],
    [6, operation(fc.constant('update'), changing)],
    [1, operation(fc.constant('remove'), naming)],
    [2, operation(fc.constantFrom('stats', 'qr'), naming)],
    [4, operation(fc.constant('list_urls'), listing)],
    [2, operation(fc.constant('compare'), comparing)],
    [2, operation(fc.constant('compare_tags'), together(comparing, sometimes(plain('by', groupings))))],
    [2, operation(fc.constant('account_stats'), together(conditions, span))],
    [1, operation(fc.constant('tags'), fc.constant([]))],
    [1, operation(fc.oneof(fc.constantFrom(...inherited), text.map(encodeURIComponent)), creation)],
  ),
);

/** Operations that have no GET. */
export function postOnly({ids}: Keys): Arbitrary<Operation> {
  const label = plain('label', titles);
  const scope = plain(
    'scope',
    mostly(fc.constantFrom('read', 'create', 'full'), fc.constantFrom('Full', '', ...inherited)),
  );
  const id = plain('id', fc.oneof(fc.constantFrom(...ids), fc.constantFrom('', ...inherited), text));
  const via = plain('via', mostly(fc.constant('forged'), text));
  const name = plain('name', mostly(fc.constantFrom('order', 'registration'), text));
  const customer = plain('customer', mostly(fc.constantFrom('ann', 'bob'), text));
  return withFaults(
    weighted(
      [4, operation(fc.constant('create_many'), plain('links', many(creation)))],
      [4, operation(fc.constant('update_many'), plain('changes', many(change)))],
      [1, operation(fc.constant('keys'), fc.constant([]))],
      [2, operation(fc.constant('create_key'), together(label, scope))],
      [2, operation(fc.constant('revoke_key'), id)],
      [2, operation(fc.constant('record_conversion'), together(via, name, id, sometimes(customer)))],
      [1, operation(fc.constant('identify_customer'), together(via, customer))],
      [1, operation(fc.constant('forget_customer'), customer)],
      [1, operation(fc.constant('forget_conversion_name'), name)],
      [1, operation(fc.constant('refund_conversion'), together(name, id, plain('refund', text)))],
    ),
  );
}
