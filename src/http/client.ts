import {isIPv6} from 'node:net';
import {hostNameOf} from '../links/bases.ts';

/** In characters: an IPv6 address with a zone. */
const longestAddress = 64;

/**
 * Whom an address stands for: an IPv6 client has a whole /64 network to send from, so its first four groups count.
 *
 * @param ip the address as Koa has it, also with the port that some proxies write into `X-Forwarded-For`; anything else
 *   comes back as it is, up to a length that is worth remembering
 */
export function clientOf(ip: string): string {
  const address = withoutPort(ip).replace(/%.*/, '');
  if (!isIPv6(address)) return withoutPort(ip).slice(0, longestAddress);
  const name = hostNameOf(new URL(`http://[${address}]`));
  if (!name.startsWith('[')) return name;
  const [head = [], tail = []] = Array.from(name.slice(1, -1).split('::'), (part) => part.split(':'));
  const left = Array.from({length: 8 - head.length - tail.length}, () => '0');
  const network = [...head, ...left, ...tail].slice(0, 4);
  // In front of `::` there may be nothing at all, which stands for a zero as well.
  return `${network.map((group) => group || '0').join(':')}::/64`;
}

/** Of `192.0.2.1:51234`, `[2001:db8::1]:51234` and `[2001:db8::1]` the address. */
function withoutPort(ip: string): string {
  return ip.replace(/^\[(.*)\](?::\d+)?$|^([^:]+):\d+$/, '$1$2');
}
