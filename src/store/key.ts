import {createHash} from 'node:crypto';

/** A part that needs no digest: printable ASCII without spaces and the two characters below. */
const plainPart = /^[!-$&-9;-~]+$/;

/** Leaves space for the namespace in the 255 characters of the narrowest key column. */
const maxKey = 160;

/**
 * Makes a key from several parts: printable ASCII, at most 160 characters, and different for different parts. Short and
 * plain parts are readable in the key, as `kind:part:part`. Other parts become a digest, as `kind:%…`. A plain part has
 * no `%`, so the two forms never collide.
 *
 * @param kind a short plain word for the type of the record
 */
export function storeKey(kind: string, ...parts: readonly string[]): string {
  const key = [kind, ...parts].join(':');
  if (key.length <= maxKey && parts.every((part) => plainPart.test(part))) return key;
  // JSON keeps the boundaries of the parts, and distinguishes lone surrogates, which UTF-8 would not.
  return `${kind}:%${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;
}

/**
 * The same with a hash tag around the first parts. On Redis Cluster, keys with the same tag are on the same node, so one
 * command can use them.
 */
export function taggedKey(kind: string, tag: readonly string[], ...parts: readonly string[]): string {
  return [`${kind}:{${storeKey('', ...tag).slice(1)}}`, ...parts].join(':');
}
