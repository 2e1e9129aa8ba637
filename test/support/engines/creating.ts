import {ShortUrlError, shortUrl} from '../../../src/index.ts';

// Creates links on the store of the first argument, and prints which creates were acknowledged.
const [, , store = '', secret = ''] = process.argv;
const site = shortUrl({baseUrl: 'https://example.com', secret, store});
site.events.on('error', () => undefined);
const done: string[] = [];
const failed: string[] = [];
await site.accounts.create('ann');
for (let number = 0; number < 30; number += 1) {
  const customUrl = `link-${number}`;
  try {
    await site.links.create('ann', {url: 'https://destination.example/', customUrl});
    done.push(customUrl);
  } catch (error) {
    if (!(error instanceof ShortUrlError) || error.code !== 'store_unavailable') throw error;
    failed.push(customUrl);
  }
}
console.log(JSON.stringify({done, failed}));
await site.close();
