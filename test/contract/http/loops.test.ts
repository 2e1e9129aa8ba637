import test, {type ExecutionContext} from 'ava';
import {accepted, isTheHosts, refused} from '../../support/answers.ts';
import {type Site, startSite} from '../../support/site.ts';

/** A site with several domains, and with the link `there` on each of them. */
async function startWithLinks(t: ExecutionContext): Promise<Site> {
  const hosts = ['http://127.0.0.1:3000', 'http://[2001:db8::1]'];
  const baseDomains = ['sho.rt', 'bücher.example', 'https://go.example.org/x', ...hosts];
  const site = await startSite(t, {shortUrl: {baseDomains}});
  const domains = ['example.com', 'sho.rt', 'bücher.example', 'go.example.org', '127.0.0.1', '[2001:db8::1]'];
  for (const base_domain of domains) await site.create({custom_url: 'there', base_domain});
  return site;
}

const loops = [
  'https://example.com:8443/there',
  'https://user:password@example.com/there',
  'https://sho.rt%2F@example.com/there',
  'https://ex%61mple%2Ecom/there',
  'https://ｅｘａｍｐｌｅ.com/there',
  'https://exa\u00ADmple.com/there',
  'https:example.com/there',
  'https:\\\\example.com\\there',
  'https://example.com/%74%68%65%72%65',
  'https://example.com//there',
  'https://example.com/elsewhere/%2e%2E/there',
  'https://example.com/there?again=1#there',
  'http://sho.rt/there',
  'https://BÜCHER.example/there',
  'https://bu\u0308cher.example/there',
  'https://XN--BCHER-KVA.EXAMPLE./there',
  'https://go.example.org/%78/there',
  'http://127.1/there',
  'http://2130706433/there',
  'http://１２７.0.0.1:3000/there',
  'http://[::FFFF:7F00:0001]:3000/there',
  'http://[2001:0DB8:0:0:0:0:0:0001]:8080/there',
  'https://example.com/there/',
  'https://example.com/there).',
];
test('a loop back to the service is refused', async (t) => {
  const site = await startWithLinks(t);
  for (const url of loops) refused(t, await site.api('create', {url}), 'forbidden_url');
});

const others = [
  'https://example.com/%2574here',
  'https://example.com/there;x=1',
  'https://go.example.org/X/there',
  'https://example.com.evil.example/there',
  'https://evil.example/somewhere?https://example.com/there',
  'http://[::ffff:127.0.0.2]/there',
  'http://[2001:db8::2]/there',
];
test('a URL that only resembles a loop is accepted, and leads to none', async (t) => {
  const site = await startWithLinks(t);
  for (const url of others) {
    accepted(t, await site.api('create', {url}));
    const {host, pathname} = new URL(url);
    isTheHosts(t, await site.request({host, path: pathname}), 404, 'No such page on this site.');
  }
});
