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
  return parts.length === 0 ? kind : [kind, nameOf(parts, maxKey - kind.length - 1)].join(':');
}

/**
 * The same with a hash tag around the first parts. On Redis Cluster, keys with the same tag are on the same node, so one
 * command can use them.
 */
export function taggedKey(kind: string, tag: readonly string[], ...parts: readonly string[]): string {
  return [`${kind}:{${nameOf(tag, maxKey - 1)}}`, ...parts].join(':');
}

/** @param maxLength of a readable name */
function nameOf(parts: readonly string[], maxLength: number): string {
  const name = parts.join(':');
  if (name.length <= maxLength && parts.every((part) => plainPart.test(part))) return name;
  // JSON keeps the boundaries of the parts, and distinguishes lone surrogates, which UTF-8 would not.
  return `%${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;
}
