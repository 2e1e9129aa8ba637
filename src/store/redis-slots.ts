/** A cluster spreads its keys over so many slots. */
export const slotCount = 16_384;

const table = Uint16Array.from({length: 256}, (_, byte) => {
  let sum = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) sum = sum & 0x8000 ? (sum << 1) ^ 0x1021 : sum << 1;
  return sum;
});

/** The slot of a key of ASCII characters, as the cluster specification has it: CRC16 of the key, or of its `{tag}`. */
export function slotOf(key: string): number {
  const open = key.indexOf('{');
  const close = open === -1 ? -1 : key.indexOf('}', open);
  const [start, end] = close > open + 1 ? [open + 1, close] : [0, key.length];
  let sum = 0;
  for (let index = start; index < end; index += 1) {
    sum = ((sum << 8) & 0xffff) ^ (table[((sum >> 8) ^ key.charCodeAt(index)) & 0xff] ?? 0);
  }
  return sum % slotCount;
}

/** By slot the address of the master that has it; undefined where nobody does. */
export type SlotOwners = ReadonlyArray<string | undefined>;

/**
 * Reads the reply to `CLUSTER SLOTS`.
 *
 * @param askedHost stands for a node that does not know its own name
 */
export function readSlots(reply: unknown, askedHost: string): Array<string | undefined> {
  const owners = Array.from<string | undefined>({length: slotCount});
  const ranges = reply as Array<[first: number, last: number, master: [host: string | null, port: number]]>;
  for (const [first, last, [host, port]] of ranges) owners.fill(addressOf(host, port, askedHost), first, last + 1);
  if (ranges.length === 0) throw new Error('A node that was asked has no part in the cluster');
  return owners;
}

/** Where a node says that a key is: `MOVED` for good, `ASK` this once. */
export interface Redirection {
  readonly forGood: boolean;
  readonly address: string;
}

export function redirectionOf(error: unknown, askedHost: string): Redirection | undefined {
  if (!(error instanceof Error)) return undefined;
  const parts = /^(?<word>MOVED|ASK) \d+ (?<host>.*):(?<port>\d+)$/.exec(error.message)?.groups;
  if (!parts) return undefined;
  const {word, host, port} = parts as {word: string; host: string; port: string};
  return {forGood: word === 'MOVED', address: addressOf(host, Number(port), askedHost)};
}

function addressOf(host: string | null, port: number, askedHost: string): string {
  return `${host === null || host === '' || host === '?' ? askedHost : host}:${port}`;
}

/** The host and the port of such an address. */
export function partsOf(address: string): {host: string; port: number} {
  const colon = address.lastIndexOf(':');
  return {host: address.slice(0, colon), port: Number(address.slice(colon + 1))};
}
