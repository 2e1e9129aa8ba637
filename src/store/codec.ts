import {Keyv} from 'keyv';
import {ShortUrlError} from '../errors.ts';
import type {Packing} from './port.ts';

/** The content of a record. */
export interface Content {
  readonly value: unknown;
  /** When it expires, in milliseconds since the epoch; undefined if it never does. */
  readonly expires: number | undefined;
}

/** Converts content to the records of Keyv and back, so that `keyv.get` can read our records. */
export interface Codec {
  encode(key: string, value: unknown, expires?: number): unknown;
  decode(key: string, record: unknown): Content | Promise<Content>;
}

type Envelope = {value?: unknown; expires?: unknown} | null | undefined;

/** Keyv's default for text. */
const {serialize: defaultSerialize, deserialize: defaultDeserialize} = new Keyv();

/**
 * Keyv escapes strings that begin with a colon, and unescapes them with a reviver that takes three times as long as
 * parsing. Text without such strings does not need the reviver. Keyv also concatenates JSON from pieces, and a Map would
 * keep the pieces, which take ten times the memory.
 */
const marked = /[:,[]\s*":/;

/**
 * The codec of a Keyv instance, with its current `serialize`, `deserialize` and compression.
 *
 * @param packing by default values are stored in the form in which they are used
 * @param isOurs whether only this package reads the records. A text is then stored without JSON around it
 */
export function codecOf(keyv: Keyv, packing?: Packing, isOurs = false): Codec {
  return {
    async encode(key, used, expires) {
      try {
        const value = packing ? packing.pack(key, used) : used;
        const isText = typeof value === 'string' && packing?.isPacked(key) === true;
        if (isOurs && isText && expires === undefined) return value;
        // Adapters take objects.
        if (keyv.serialize === undefined) return JSON.parse(JSON.stringify({value, expires})) as Envelope;
        if (keyv.compression !== undefined) return await keyv.serializeData({value, expires});
        if (keyv.serialize === defaultSerialize) {
          const envelope = JSON.stringify({value, expires});
          if (!marked.test(envelope)) return envelope;
        }
        return await keyv.serialize({value, expires});
      } catch (cause) {
        // No outage: a retry would not help.
        throw new ShortUrlError('internal_error', 'The store could not serialize a value.', {cause});
      }
    },

    async decode(key, record) {
      // Also where it is not ours: a host may come from a connection string to an adapter.
      if (packing?.isPacked(key) === true && typeof record === 'string' && !record.startsWith('{')) {
        return {value: packing.unpack(key, record), expires: undefined};
      }
      const envelope: Envelope = typeof record === 'string' ? await parse(keyv, record) : copy(record);
      if (typeof envelope !== 'object' || envelope === null || !('value' in envelope))
        throw new SyntaxError('A record is not in the format of its Keyv');
      return {
        value: packing ? packing.unpack(key, envelope.value) : envelope.value,
        expires: typeof envelope.expires === 'number' ? envelope.expires : undefined,
      };
    },
  };
}

function parse(keyv: Keyv, text: string): Envelope | Promise<Envelope> {
  const {deserialize} = keyv;
  if (deserialize === undefined) return JSON.parse(text) as Envelope;
  if (keyv.compression !== undefined) return keyv.deserializeData(text);
  return deserialize === defaultDeserialize && !marked.test(text) ? (JSON.parse(text) as Envelope) : deserialize(text);
}

/** Copies an object, because a Map returns its own object, and a change of it would change the record. */
function copy(record: unknown): Envelope {
  return structuredClone(record) as Envelope;
}
