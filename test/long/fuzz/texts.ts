import fc, {type Arbitrary} from 'fast-check';
import {variantNames, variants} from '../../support/base64.ts';

/** Names of properties that every object has. */
export const inherited = ['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty'] as const;

const special = [
  ...inherited,
  ']]>',
  '<!--',
  '<script>alert(1)</script>',
  '&amp;&#0;',
  '"\'><x y="',
  '\r\nSet-Cookie: a=b\r\n\r\n',
  '\0',
  '\u007f',
  '\u0085',
  '\u2028',
  '\u202e',
  '\ufeff',
  '\ufffe',
  '\uffff',
  '\u{1f600}',
  '\u{10ffff}',
  '../..',
  './',
  '//',
  '\\',
  '%',
  '%2e%2e%2f',
  '%00',
  '%0d%0a',
  '%zz',
  '${7*7}',
  '{{7*7}}',
  "' or 1=1 --",
  '*',
  '1e9',
  '-1',
  'NaN',
  'null',
];

/** Any text that UTF-8 can hold. */
export const text: Arbitrary<string> = weighted(
  [4, fc.constantFrom(...special)],
  [3, fc.string({unit: 'grapheme', minLength: 1, maxLength: 20})],
  [2, fc.string({unit: 'binary', minLength: 1, maxLength: 20})],
  [1, fc.constantFrom('a'.repeat(65), 'x'.repeat(129), 'é'.repeat(65), 'y'.repeat(3000))],
);

/** One of several, as often as the number before it says. */
export function weighted<Value>(
  ...choices: ReadonlyArray<readonly [weight: number, arbitrary: Arbitrary<Value>]>
): Arbitrary<Value> {
  return fc.oneof(...choices.map(([weight, arbitrary]) => ({weight, arbitrary})));
}

/** The right value in nine of ten cases, so that the rest of a request is checked too. */
export function mostly<Value>(right: Arbitrary<Value>, wrong: Arbitrary<Value>, weight = 9): Arbitrary<Value> {
  return weighted([weight, right], [1, wrong]);
}

export const base64: Arbitrary<(value: string | Uint8Array) => string> = fc.constantFrom(
  ...variantNames.map((name) => variants[name]),
);

/** Equivalent ways to escape a text in a path, and no escaping. */
export const escaping: Arbitrary<(value: string) => string> = weighted(
  [12, fc.constant(encodeURIComponent)],
  [1, fc.constant(escapeAll)],
  [1, fc.constant((value: string) => escapeAll(value).toLowerCase())],
  [1, fc.constant((value: string) => encodeURIComponent(encodeURIComponent(value)))],
  [1, fc.constant((value: string) => value)],
);

function escapeAll(value: string): string {
  return Array.from(Buffer.from(value), (byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');
}

/** A change at some position of a text. */
export const mutation: Arbitrary<(value: string) => string> = fc
  .record({
    at: fc.nat({max: 0xffff}),
    piece: fc.oneof(
      fc.constantFrom('/', '//', '/./', '/../', '.', '..', '.json', '.xml', '.XML', '.yaml', '%', '%2', '%2F', '%25'),
      fc.constantFrom('%00', '%0D%0A', '%C0%AF', '%ED%A0%80', '%F0%9F%98%80', '%zz', '=', '==', '+', '-', '_', '~'),
      fc.constantFrom('?', '?a=b', '#', ';', ':', '@', '&', '\\', '|', '"', '<', '[', '{', '`', 'é', '日', '\u{1f600}'),
      fc.constantFrom(...inherited.map((name) => `/${name}`), ...inherited),
      fc.constantFrom('/x'.repeat(2000), '/'.repeat(3000), 'a'.repeat(5000), '%41'.repeat(1500), '/url/aA'.repeat(700)),
    ),
    act: fc.constantFrom<(value: string, at: number, piece: string) => string>(
      (value, at, piece) => value.slice(0, at) + piece + value.slice(at),
      (value, at) => value.slice(0, at) + value.slice(at + 1),
      (value, at) => value.slice(0, at),
      (value, at) => value.slice(0, at) + value.slice(at, at + 1).toUpperCase() + value.slice(at + 1),
      (value, at) => value.slice(0, at) + escapeAll(value.slice(at, at + 1)) + value.slice(at + 1),
      (value, at, piece) => segmentsOf(value, at, (segment) => [piece.replaceAll('/', ''), segment]),
      (value, at, piece) => segmentsOf(value, at, () => [piece.replaceAll('/', '')]),
      (value, at) => segmentsOf(value, at, (segment) => [segment, segment]),
      (value, at) => segmentsOf(value, at, () => []),
      (value, at) => segmentsOf(value, at, (segment) => [segment.toUpperCase()]),
    ),
  })
  .map(
    ({at, piece, act}) =>
      (value) =>
        act(value, at % (value.length + 1), piece),
  );

function segmentsOf(value: string, at: number, change: (segment: string) => string[]): string {
  const segments = value.split('/');
  return segments.flatMap((segment, index) => (index === at % segments.length ? change(segment) : [segment])).join('/');
}
