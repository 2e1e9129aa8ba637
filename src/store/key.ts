import {createHash} from 'node:crypto';

/** What a part may hold to stand in a key as it is: printable ASCII without the space and the two signs below. */
const plainPart = /^[!-$&-9;-~]+$/;

/** Leaves room for the namespace in the 255 characters that the narrowest engine's key column holds. */
const longestKey = 160;

/**
 * Makes one key of several parts: printable ASCII, at most 160 characters, and different for different parts. Parts
 * that are short and plain stand in it as they are, `kind:part:part`, so that a person who looks into the store can
 * read them. Any others become a digest, `kind:%…`; no plain part holds a `%`, so the two forms never meet.
 *
 * @param kind what the record is; a short plain word, the same for all records of one sort
 */
export function storeKey(kind: string, ...parts: readonly string[]): string {
  let key = kind;
  let isPlain = true;
  for (const part of parts) {
    key += `:${part}`;
    isPlain &&= plainPart.test(part);
  }
  if (isPlain && key.length <= longestKey) return key;
  // JSON keeps the borders of the parts, and keeps lone surrogates apart, which UTF-8 alone would make one.
  return `${kind}:%${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;
}

/**
 * The same with a hash tag around the first parts: on a Redis Cluster, keys with the same tag lie on the same node, so
 * that one command may name them.
 */
export function taggedKey(kind: string, tag: readonly string[], ...parts: readonly string[]): string {
  return [kind, `{${storeKey('', ...tag).slice(1)}}`, ...parts].join(':');
}
