import {Readable} from 'node:stream';
import test from 'ava';
import {toImportOptions} from '../../../../src/tools/command/import.ts';

const stdin = Readable.from([]);

test('the command line for a file becomes the options of an import', (t) => {
  const values = {
    ...{store: 'sqlite:links.db', namespace: 'links', account: 'ann'},
    ...{'create-account': true, 'base-url': 'https://example.com'},
    ...{'base-domains': 'sho.rt, go.example', 'base-domain': 'sho.rt', reserved: 'about,blog', table: 'my_url'},
    ...{'time-zone': 'Europe/Berlin', language: 'de', open: 'favorite, is_branded'},
    ...{'short-parts': 'unicode,segments=3', schemes: 'mailto,tel'},
  };
  const env = {SHORT_URL_SECRET: 'new secret', OLD_SECRETS: 'older,oldest', SOURCE_KEY: 'key'};
  const call = {operand: 'dump.sql', values, env, stdin};
  t.deepEqual(toImportOptions(call, 'yourls'), {
    format: 'yourls',
    store: 'sqlite:links.db',
    namespace: 'links',
    account: 'ann',
    createAccount: true,
    secret: ['new secret', 'older', 'oldest'],
    baseUrl: 'https://example.com',
    baseDomains: ['sho.rt', 'go.example'],
    baseDomain: 'sho.rt',
    reserved: ['about', 'blog'],
    shortParts: {unicode: true, segments: 3},
    schemes: ['mailto', 'tel'],
    timeZone: 'Europe/Berlin',
    language: 'de',
    open: ['favorite', 'is_branded'],
    table: 'my_url',
    file: 'dump.sql',
  });
  t.is(toImportOptions({...call, operand: '-'}, 'yourls').file, stdin);
});

test('the command line for another site takes the key from the environment', (t) => {
  const values = {store: 'sqlite:links.db', account: 'ann', xml: true};
  const call = {operand: 'https://other.example', values, env: {SOURCE_KEY: 'key'}, stdin};
  const options = toImportOptions(call, 'api');
  t.like(options, {site: 'https://other.example', siteKey: 'key', xml: true, account: 'ann', createAccount: false});
  t.false('file' in options);
});
