/**
 * A site for a bundler. It creates a link by the API, visits it, loads the files of the dashboard and opens a store whose
 * package is missing, and prints a line for each.
 */
export const bundledSite = `
import Koa from 'koa';
import {shortUrl} from 'koa-short-url';
import {dashboard} from 'koa-short-url/dashboard';

const shortener = shortUrl({baseUrl: 'http://localhost', store: 'memory:'});
const app = new Koa().use(shortener).use(dashboard(shortener, {path: '/links', account: () => 'ann'}));
const server = app.listen(0, async () => {
  const origin = 'http://localhost:' + server.address().port;
  const {apiKey} = await shortener.accounts.create('ann');
  const headers = {Authorization: 'Bearer ' + apiKey, 'Content-Type': 'application/json'};
  const body = JSON.stringify({url: 'https://example.org/', custom_url: 'spring'});
  const created = await fetch(origin + '/api/v1/shorturl/create.xml', {method: 'POST', headers, body});
  console.log('create', /<short_url_part>(.*)<.short_url_part>/.exec(await created.text())?.[1]);
  const page = await (await fetch(origin + '/links/')).text();
  const fileOf = (end) => 'links/' + new RegExp('(?:href|src)="([^"]+[.]' + end + ')"').exec(page)[1];
  const paths = {
    link: 'spring',
    preview: 'spring+',
    style: fileOf('css'),
    script: fileOf('js'),
    description: 'links/openapi.json',
    schema: 'links/short-url.xsd',
  };
  for (const [name, path] of Object.entries(paths)) {
    console.log(name, (await fetch(origin + '/' + path, {redirect: 'manual'})).status);
  }
  server.close();
  const secret = 'a secret of this test, and for nothing else';
  const other = shortUrl({baseUrl: 'http://localhost', store: 'postgres://localhost/links', secret});
  await other.ready().catch((error) => console.log(error.code, error.message));
  for (const each of [shortener, other]) await each.close();
});
`;

/**
 * What the site prints from a bundle, but for the message about the missing package. The descriptions of the API are files
 * of the package, which a bundle does not have.
 */
export const bundledOutput = [
  ...['create spring', 'link 302', 'preview 200', 'style 200', 'script 200', 'description 404', 'schema 404'],
  'store_unavailable',
].join('\n');
