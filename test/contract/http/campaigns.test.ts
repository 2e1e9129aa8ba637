import test from 'ava';
import '../../support/quick-scrypt.ts';
import {accepted, redirects, refused} from '../../support/answers.ts';
import {startSite} from '../../support/site.ts';
import {asXmlReads} from '../../support/xml.ts';

const url = 'https://destination.example/page';
const utm = {source: 'mail', medium: 'e mail', campaign: 'spring&more', term: 'ä', content: 'a+b'};
const query = 'utm_source=mail&utm_medium=e%20mail&utm_campaign=spring%26more&utm_term=%C3%A4&utm_content=a%2Bb';

test('a full record has the campaign of its link after `confirm`, in JSON and XML, until it is cleared', async (t) => {
  const site = await startSite(t);
  const {content, source} = utm;
  const {short_url} = await site.create({utm: JSON.stringify({content, source})});
  const json = await site.api('stats', {short_url});
  t.deepEqual(accepted(t, json).utm, {source, content});
  const names = Object.keys(json.json().data);
  t.is(names[names.indexOf('confirm') + 1], 'utm');
  t.regex((await site.api('stats', {short_url}, {suffix: '.xml'})).text, /<utm><source>mail<\/source><content>a\+b<\//);
  t.deepEqual((await site.api('stats', {short_url}, {suffix: '.xml'})).xml(), asXmlReads(json.json()));
  t.is(accepted(t, await site.api('update', {short_url, clear: 'utm'})).utm, null);
  t.regex((await site.api('stats', {short_url}, {suffix: '.xml'})).text, /<utm><\/utm>|<utm\/>/);
  t.deepEqual(accepted(t, await site.post('update', {short_url, utm})).utm, utm);
  t.is(accepted(t, await site.post('update', {short_url, utm: null})).utm, null);
  redirects(t, await site.visit(short_url), url);
});

test('a campaign that is not in order is refused, and nothing changes', async (t) => {
  const site = await startSite(t);
  const {short_url} = await site.create({utm: JSON.stringify({source: 'mail'})});
  const wrong = [{}, [], 'mail', 5, {source: ''}, {source: ' a'}, {source: 'x'.repeat(101)}, {source: 5}, {id: 'a'}];
  for (const each of [...wrong, {source: 'a', utm_medium: 'b'}, {source: null}, {term: 'a\nb'}]) {
    refused(t, await site.post('update', {short_url, utm: each}), 'malformed_parameter');
    refused(t, await site.api('update', {short_url, utm: JSON.stringify(each)}), 'malformed_parameter');
  }
  refused(t, await site.api('create', {url, utm: '{"source":'}), 'malformed_parameter');
  t.deepEqual((await site.shortener.links.info('user-42', short_url)).utm, {source: 'mail'});
});

test('a campaign is added to every destination of a link, and the stored long URL stays as it is', async (t) => {
  const destination = 'https://chosen.example/?a=1';
  const site = await startSite(t, {
    shortUrl: {destination: (ctx) => (ctx.get('X-Group') === 'b' ? destination : undefined)},
  });
  const rules = [{language: 'de', url: 'https://german.example/#part'}];
  const link = await site.shortener.links.create('user-42', {url, utm, rules, expiredUrl: 'https://over.example/'});
  const to = async (headers: Record<string, string>) => (await site.visit(link.shortUrl, {headers})).headers.location;
  for (let times = 0; times < 2; times += 1) {
    t.is(await to({}), `${url}?${query}`);
    t.is(await to({'Accept-Language': 'de'}), `https://german.example/?${query}#part`);
    t.is(await to({'X-Group': 'b'}), `${destination}&${query}`);
  }
  t.is(link.originalUrl, url);
  t.regex((await site.visit(`${link.shortUrl}+`)).text, /utm_source=mail/);
  const {shortUrl} = await site.shortener.links.update('user-42', link.shortUrl, {utm: {source: 'poster'}});
  redirects(t, await site.visit(shortUrl), `${url}?utm_source=poster`);
  await site.shortener.links.update('user-42', shortUrl, {expiryDate: '2031-05-07'});
  site.clock.set('2031-05-09T00:00:00Z');
  redirects(t, await site.visit(shortUrl), 'https://over.example/');
});

test('what the destination has stays, then what a forwarded query brings, then the campaign', async (t) => {
  const site = await startSite(t);
  const fields = {url: `${url}?utm_source=own&x=1`, utm: {source: 'link', medium: 'link', campaign: 'link'}};
  const plain = (await site.shortener.links.create('user-42', fields)).shortUrl;
  const forwarding = (await site.shortener.links.create('user-42', {...fields, forwardQuery: true})).shortUrl;
  const visit = '?utm_source=visit&utm_%6dedium=visit&y=2';
  redirects(t, await site.visit(plain + visit), `${fields.url}&utm_medium=link&utm_campaign=link`);
  redirects(t, await site.visit(forwarding + visit), `${fields.url}&utm_%6dedium=visit&y=2&utm_campaign=link`);
  redirects(t, await site.visit(forwarding), `${fields.url}&utm_medium=link&utm_campaign=link`);
});

test('a campaign is not added to a presigned URL, another scheme or where the result would be too long', async (t) => {
  const site = await startSite(t, {shortUrl: {schemes: ['mailto']}});
  const long = `https://destination.example/${'ä'.repeat(2490)}`;
  for (const each of ['https://bucket.example/a?X-Amz-Signature=abc', 'mailto:a@b.example', long]) {
    for (const forwardQuery of [true, false]) {
      const {shortUrl} = await site.shortener.links.create('user-42', {url: each, utm, forwardQuery});
      redirects(t, await site.visit(shortUrl), new URL(each).href);
    }
  }
});

test('a destination has the campaign beside the parameter of attribution', async (t) => {
  const site = await startSite(t, {shortUrl: {attribution: {parameter: 'via'}}});
  const {shortUrl} = await site.shortener.links.create('user-42', {url, utm: {source: 'mail'}});
  const {location = ''} = (await site.visit(shortUrl)).headers;
  t.regex(location, /^https:\/\/destination\.example\/page\?utm_source=mail&via=[\w-]+$/);
  await site.shortener.links.update('user-42', shortUrl, {forwardQuery: true});
  const again = (await site.visit(`${shortUrl}?utm_medium=a`)).headers.location ?? '';
  t.regex(again, /^https:\/\/destination\.example\/page\?via=[\w-]+&utm_medium=a&utm_source=mail$/);
});

test('a visitor who answers a form gets the campaign too', async (t) => {
  const site = await startSite(t);
  const {shortUrl} = await site.shortener.links.create('user-42', {url, utm: {source: 'mail'}, password: 'secret'});
  const reply = await site.submit(shortUrl, 'secret');
  t.is(reply.headers.location, `${url}?utm_source=mail`);
});
