import {maxLength} from './targets.ts';

/** What the formats have a meaning for. */
const words = [
  ...[
    '"',
    "'",
    '\\',
    ',',
    ';',
    '\t',
    '\r\n',
    '\n',
    '\0',
    '\uFEFF',
    '{',
    '}',
    '[',
    ']',
    ':',
    '/',
    '%',
    '%2F',
    '%00',
    '%E2%82',
  ],
  ...[
    '-1',
    '0',
    '1e308',
    '9007199254740993',
    'null',
    'true',
    '\\u0000',
    '\\ud800',
    '\u202E',
    '\u{1F600}',
    'é',
    'e\u0301',
    '..',
  ],
  ...[
    'NULL',
    '0x',
    "E'",
    '--',
    '/*',
    '*/',
    '`',
    '(',
    ')',
    'VALUES',
    'https://',
    'javascript:',
    '2024-02-30',
    '__proto__',
    '=',
  ],
];

const dictionary = words.map((word) => Buffer.from(word));

/** A number from 0 to `bound - 1`. */
export type Random = (bound: number) => number;

/** Changes an input in one to eight places, with parts of another one. */
export function mutate(input: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  let bytes = Buffer.from(input);
  for (let count = 1 + random(8); count > 0; count -= 1) bytes = change(bytes, other, random);
  return bytes.subarray(0, maxLength);
}

function change(bytes: Buffer, other: Uint8Array, random: Random): Buffer<ArrayBuffer> {
  const at = random(bytes.length + 1);
  const end = Math.min(bytes.length, at + 1 + random(16));
  const put = (part: Uint8Array, to = at): Buffer<ArrayBuffer> =>
    Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(to)]);
  switch (random(6)) {
    case 0:
      return put(dictionary[random(dictionary.length)] ?? Buffer.alloc(0));
    case 1:
      return put(dictionary[random(dictionary.length)] ?? Buffer.alloc(0), end);
    case 2:
      return put(Buffer.alloc(0), end);
    case 3:
      return put(Buffer.concat([bytes.subarray(at, end), bytes.subarray(at, end)]), end);
    case 4: {
      const start = random(other.length + 1);
      return put(other.subarray(start, start + 1 + random(64)));
    }
    default:
      return put(Buffer.from([random(256)]), at + 1);
  }
}
