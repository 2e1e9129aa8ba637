import test from 'ava';
import {refused} from '../../support/answers.ts';
import {readQrCode} from '../../support/qr-code.ts';
import {startSite} from '../../support/site.ts';

test('`qr` answers with a picture of the short URL, by GET and by POST', async (t) => {
  const site = await startSite(t);
  const {short_url: shortUrl} = await site.create({custom_url: 'spring'});
  const svg = await site.api('qr', {short_url: shortUrl});
  t.is(svg.status, 200);
  t.is(svg.headers['content-type'], 'image/svg+xml');
  t.is(svg.headers['cache-control'], 'private, max-age=86400');
  t.regex(svg.text, /^<svg [^>]*width="300" height="300"/);
  t.is(readQrCode(svg.text), shortUrl);
  const png = await site.shortener.links.qr('user-42', shortUrl, {format: 'png', size: 64});
  t.is(png.readUInt32BE(16), 64);
  t.is(readQrCode(png), shortUrl);
  const reply = await site.api('qr', {format: 'png', size: '2000', short_url: shortUrl});
  t.is(reply.headers['content-type'], 'image/png');
});

test('a wrong format or size, and an unknown short URL, are refused in the envelope', async (t) => {
  const site = await startSite(t);
  const {short_url: shortUrl} = await site.create();
  for (const given of [{format: 'gif'}, {size: '63'}, {size: '2001'}, {size: 'x'}]) {
    refused(t, await site.api('qr', {...given, short_url: shortUrl}), 'malformed_parameter');
  }
  refused(t, await site.api('qr', {short_url: 'https://example.com/other'}), 'unknown_short_url');
});

test('on a site that ignores case the code is in capitals where that makes it smaller, and leads to the link', async (t) => {
  const site = await startSite(t, {shortUrl: {shortParts: {ignoreCase: true}}});
  for (const [custom_url, expected] of [
    ['spring-sale', 'HTTPS://EXAMPLE.COM/SPRING-SALE'],
    // Codes of capitals have neither.
    ['spring_sale', 'https://example.com/spring_sale'],
    ['spring~sale', 'https://example.com/spring~sale'],
    // Both codes have the same size.
    ['spring', 'https://example.com/spring'],
  ] as const) {
    const {short_url: shortUrl} = await site.create({custom_url});
    t.is(readQrCode((await site.api('qr', {short_url: shortUrl})).text), expected);
    t.is((await site.visit(`https://example.com/${custom_url.toUpperCase()}`)).status, 302);
  }
});
