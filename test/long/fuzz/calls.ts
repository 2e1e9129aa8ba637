import fc, {type Arbitrary} from 'fast-check';
import {common, type Operation, postOnly} from './operations.ts';
import type {Header} from './request.ts';
import type {Keys} from './site.ts';
import {escaping, inherited, mostly, mutation, text, weighted} from './texts.ts';

const suffixes = weighted(
  [10, fc.constantFrom('.json', '.xml', '.XML', '')],
  [1, fc.constantFrom('.yaml', '.', '.json/', '.xml.json', '.jsonp')],
);

/** Mostly a valid key, because nothing else is checked after an invalid one. */
function keyOf(keys: Keys): Arbitrary<string> {
  return weighted(
    [24, fc.constant(keys.mine)],
    [6, fc.constantFrom(keys.theirs, keys.reading, keys.creating)],
    [1, fc.constant(keys.blocked)],
    [1, fc.oneof(fc.constantFrom(keys.old, keys.revoked, 'x'.repeat(32), ...inherited), text.map(encodeURIComponent))],
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

/** Few, so that many are used again. */
export const idempotencyKeys: Arbitrary<Header[]> = weighted(
  [20, fc.constant<Header[]>([])],
  [10, fc.constantFrom('a', 'retry-1', '~'.repeat(64)).map((key): Header[] => [['Idempotency-Key', key]])],
  [
    1,
    fc
      .constantFrom(['x'.repeat(65)], ['a b'], [''], ['é'], ['a', 'a'], ...inherited.map((name) => [name]))
      .map((values) => values.map((key): Header => ['Idempotency-Key', key])),
  ],
);

const mutations = (weight: number): Arbitrary<(value: string) => string> =>
  mostly(
    fc.constant<Array<(value: string) => string>>([]),
    fc.array(mutation, {minLength: 1, maxLength: 2}),
    weight,
  ).map((each) => (value) => each.reduce((changed, mutate) => mutate(changed), value));

/** API paths with and without the key. */
export function calls(keys: Keys): Arbitrary<string> {
  const prefix = weighted([3, keyOf(keys).map((key) => `${key}/shorturl`)], [2, fc.constant('shorturl')]);
  return fc
    .tuple(prefix, mostly(common, postOnly(keys), 24), escaping, suffixes, mutations(4))
    .map(([start, {name, parameters}, escape, suffix, mutate]) => {
      const segments = parameters.flatMap((parameter) => [parameter.name, escape(parameter.text)]);
      return `/api/v1/${start}/${mutate([name, ...segments].join('/') + suffix)}`;
    });
}

/** In bytes. */
export const largestBody = 256 * 1024;

/** Bodies that are not in order, whatever the operation. */
const spoiling: Arbitrary<(json: string) => string> = fc.oneof(
  fc
    .constantFrom('', ' ', '[]', 'null', '"x"', '1', '{', '{"url":}', '{}{}', "{'url': 1}", '['.repeat(5000))
    .map((body) => () => body),
  fc
    .constantFrom(`${'{"a":'.repeat(17)}1${'}'.repeat(17)}`, '{"a":'.repeat(5000), '\0', '\ufeff{}')
    .map((body) => () => body),
  fc.constantFrom<(json: string) => string>(
    (json) => `${json}x`,
    (json) => `[${json}]`,
    (json) => JSON.stringify(json),
    (json) => json.padEnd(largestBody - Buffer.byteLength(json) + json.length),
    (json) => json.padEnd(largestBody - Buffer.byteLength(json) + json.length + 1),
  ),
  mutation,
);

const types = mostly(
  fc.constantFrom('application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'),
  fc.constantFrom(
    ...['', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/jsonp'],
    ...['application/json; charset=latin1', 'application/json, text/plain', ';', '__proto__', 'x'.repeat(3000)],
  ),
  16,
);
const encodings = mostly(fc.constant<Header[]>([]), fc.constant<Header[]>([['Content-Encoding', 'gzip']]), 32);

/** A POST of the API. */
export interface Post {
  readonly path: string;
  readonly headers: readonly Header[];
  readonly body: string;
}

export function posts(keys: Keys): Arbitrary<Post> {
  const prefix = mostly(
    fc.constant('shorturl'),
    keyOf(keys).map((key) => `${key}/shorturl`),
    24,
  );
  return fc
    .record({
      start: prefix,
      operation: weighted([3, common], [2, postOnly(keys)]),
      suffix: suffixes,
      mutate: mutations(16),
      spoil: mostly(
        fc.constant((json: string) => json),
        spoiling,
        8,
      ),
      type: types,
      encoding: encodings,
      authorization: authorizations(keys),
      idempotency: idempotencyKeys,
    })
    .map(({start, operation, suffix, mutate, spoil, type, encoding, authorization, idempotency}) => ({
      path: `/api/v1/${start}/${mutate(operation.name + suffix)}`,
      headers: [['Content-Type', type], ['Authorization', authorization], ...encoding, ...idempotency],
      body: spoil(toJson(operation)),
    }));
}

/** Also with a name twice, of which the last one counts. */
function toJson({parameters}: Operation): string {
  return `{${parameters.map(({name, value}) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`;
}
