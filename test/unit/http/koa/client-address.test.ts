import test from 'ava';
import {addressOf, clientOf} from '../../../../src/http/koa/client-address.ts';

test('addresses of one IPv6 /64 network count as one client, and other addresses as different clients', (t) => {
  for (const [ip, client] of [
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['::1:2:3:4:5:6:7', '0:1:2:3::/64'],
    ['1::3:4:5:6:7:8', '1:0:3:4::/64'],
    ['1:2::5:6', '1:2:0:0::/64'],
    ['1:2:3:4::', '1:2:3:4::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['A:0B:00c:d::1', 'a:b:c:d::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['fe80::1%eth0.5', 'fe80:0:0:0::/64'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:0201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['192.0.2.1', '192.0.2.1'],
    ['', ''],
    ['not an address', 'not an address'],
    ['x'.repeat(9000), 'x'.repeat(64)],
  ] as const) {
    t.is(clientOf(ip), client, ip);
  }
});

test('the port that a proxy appends to an address does not make it another client', (t) => {
  for (const [ip, client] of [
    ['192.0.2.1:51234', '192.0.2.1'],
    ['192.0.2.1:0', '192.0.2.1'],
    ['[2001:db8:1:2::1]:51234', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::1]', '2001:db8:1:2::/64'],
    ['[fe80::1%eth0]:51234', 'fe80:0:0:0::/64'],
    ['[::ffff:192.0.2.1]:51234', '192.0.2.1'],
    ['unknown:51234', 'unknown'],
    ['192.0.2.1:port', '192.0.2.1:port'],
    ['[]:1', ''],
  ] as const) {
    t.is(clientOf(ip), client, ip);
  }
});

test('an address for events has no control characters, and is bounded', (t) => {
  t.is(addressOf({ip: '192.0.2.1\u009B31m\n'}), '192.0.2.131m');
  t.is(addressOf({ip: 'x'.repeat(9000)}).length, 100);
});
