import {isIPv6} from 'node:net';

/** In characters: an IPv6 address with a zone. */
const longestAddress = 64;

/**
 * Whom an address stands for: an IPv6 client has a whole /64 network to send from, so its first four groups count.
 *
 * @param ip the address as Koa has it; anything else comes back as it is, up to a length that is worth remembering
 */
export function clientOf(ip: string): string {
  const address = ip.replace(/%.*/, '');
  if (!isIPv6(address) || address.includes('.')) return ip.slice(0, longestAddress);
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':'));
  const left = Array.from({length: 8 - head.length - tail.length}, () => '0');
  const network = [...head, ...left, ...tail].slice(0, 4);
  // In front of `::` there may be nothing at all, which stands for a zero as well.
  return `${network.map((group) => Number.parseInt(`0${group}`, 16).toString(16)).join(':')}::/64`;
}
