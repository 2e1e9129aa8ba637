import test from 'ava';
import {open} from '../../../support/dashboard.ts';
import {readQrCode} from '../../../support/qr-code.ts';

test('the QR code of a link contains its short URL, as PNG and as SVG', async (t) => {
  const {shortener, home} = await open(t);
  for (const customUrl of ['a', 'W'.repeat(64)]) {
    const {shortUrl} = await shortener.links.create('ann', {url: 'https://example.org/', customUrl});
    const ask = async (format: string) =>
      fetch(`${home}qr.${format}?short_url=${encodeURIComponent(shortUrl)}`, {headers: {'X-User': 'ann'}});
    const png = await ask('png');
    t.is(png.headers.get('content-type'), 'image/png');
    t.is(png.headers.get('x-content-type-options'), 'nosniff');
    t.regex(png.headers.get('cache-control') ?? '', /^private/);
    const picture = Buffer.from(await png.arrayBuffer());
    t.true(picture.readUInt32BE(16) >= 1024);
    t.is(readQrCode(picture), shortUrl);

    const svg = await ask('svg');
    t.is(svg.headers.get('content-type'), 'image/svg+xml');
    t.is(readQrCode(await svg.text()), shortUrl);
  }
});
