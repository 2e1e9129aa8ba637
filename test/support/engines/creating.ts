import {ShortUrlError, shortUrl} from '../../../src/index.ts';

// Creates links on the store of the first argument. Prints which creates were acknowledged, and what health() said after
// the first that failed and at the end.
const [, , store = '', secret = ''] = process.argv;
const site = shortUrl({baseUrl: 'https://example.com', secret, store});
site.events.on('error', () => undefined);
const failure = async (): Promise<string | null> => (await site.health()).failure;
const done: string[] = [];
const failed: string[] = [];
let whileFailing: string | null = null;
for (let number = 0; number < 30; number += 1) {
  const customUrl = `link-${number}`;
  try {
    // A registration can be repeated.
    if (done.length === 0) await site.accounts.create('ann');
    await site.links.create('ann', {url: 'https://destination.example/', customUrl});
    done.push(customUrl);
  } catch (error) {
    if (!(error instanceof ShortUrlError) || error.code !== 'store_unavailable') throw error;
    failed.push(customUrl);
    if (failed.length === 1) whileFailing = await failure();
  }
}
console.log(JSON.stringify({done, failed, whileFailing, atEnd: await failure()}));
await site.close();
