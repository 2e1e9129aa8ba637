import {type Batch, batchPrefix, type SeenLink} from '../port.ts';

/** A link and the keys of its counters, with the namespace. */
interface NamedLink extends SeenLink {
  readonly keys: readonly string[];
}

/**
 * A batch with the namespace in its keys.
 *
 * The keys of a link are made once, and the driver gets the same object for every visit of it, so that it can cache its own
 * form of the link in `prepared`.
 */
export function namedBatch({writer, number, additions}: Batch, keyOf: (key: string) => string): Batch {
  const prepare = (link: SeenLink, keys: readonly string[]): NamedLink => {
    link.prepared ??= {
      key: keyOf(link.key),
      revision: link.revision,
      keys: keys.map(keyOf),
    } satisfies NamedLink;
    return link.prepared as NamedLink;
  };
  return {
    writer: keyOf(batchPrefix + writer),
    number,
    additions: additions.map(({link, keys, adds, at}) => {
      const prepared = link && prepare(link, keys);
      return {link: prepared, keys: prepared?.keys ?? keys.map(keyOf), adds, at};
    }),
  };
}
