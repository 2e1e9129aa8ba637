import {isIPv6} from 'node:net';

/** In characters: an IPv6 address with a zone. */
const longestAddress = 64;

/**
 * Whom an address stands for: an IPv6 client has a whole /64 network to send from, so its first four groups count.
 *
 * @param ip the address as Koa has it; anything else comes back as it is, up to a length that is worth remembering
 */
export function clientOf(ip: string): string {
  const address = ip.replace(/%.*$/, '');
  if (!isIPv6(address) || address.includes('.')) return ip.slice(0, longestAddress);
  const [before = '', after] = address.split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const groups = [...head, ...Array.from({length: 8 - head.length - tail.length}, () => '0'), ...tail];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
