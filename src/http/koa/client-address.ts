import {isIPv6} from 'node:net';
import type {Context} from 'koa';
import {withoutIllegal} from '../../values/characters.ts';
import {hostNameOf} from '../../link/bases.ts';

/** In characters: room for an IPv6 address with a zone. */
const maxAddressLength = 64;

/** Koa's `ctx.ip`, which behind a proxy is what a header says: without control characters, and at most 100 characters. */
export function addressOf({ip}: Pick<Context, 'ip'>): string {
  return withoutIllegal(ip.slice(0, 100));
}

/**
 * The client that limits count by: an IPv4 address, or the /64 network of an IPv6 address, because one IPv6 client
 * usually has all addresses of such a network.
 *
 * @param ip Koa's `ctx.ip`, which may have the port that some proxies write into `X-Forwarded-For`. A text that is no
 *   address is returned unchanged, cut to 64 characters
 */
export function clientOf(ip: string): string {
  const address = withoutPort(ip).replace(/%.*/, '');
  if (!isIPv6(address)) return withoutPort(ip).slice(0, maxAddressLength);
  const name = hostNameOf(new URL(`http://[${address}]`));
  if (!name.startsWith('[')) return name;
  const [head = [], tail = []] = Array.from(name.slice(1, -1).split('::'), (part) => part.split(':'));
  const left = Array.from({length: 8 - head.length - tail.length}, () => '0');
  const network = [...head, ...left, ...tail].slice(0, 4);
  // In `::1` the group before `::` is empty, which means zero.
  return `${network.map((group) => group || '0').join(':')}::/64`;
}

/** Takes the address out of `192.0.2.1:51234`, `[2001:db8::1]:51234` or `[2001:db8::1]`. */
function withoutPort(ip: string): string {
  return ip.replace(/^\[(.*)\](?::\d+)?$|^([^:]+):\d+$/, '$1$2');
}
