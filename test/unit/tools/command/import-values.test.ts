import test from 'ava';
import {toImportOptions} from '../../../../src/tools/command/import-values.ts';

const stdin: string[] = [];

test('the command line for a file becomes the options of an import', (t) => {
  const values = {
    ...{namespace: 'links', account: 'ann', 'create-account': true, 'base-url': 'https://example.com'},
    ...{'base-domains': 'sho.rt, go.example', 'base-domain': 'sho.rt', reserved: 'about,blog', table: 'my_url'},
    'time-zone': 'Europe/Berlin',
    ...{'short-parts': 'unicode,segments=3', schemes: 'mailto,tel'},
  };
  const env = {SHORT_URL_SECRET: 'new secret', OLD_SECRETS: 'older,oldest', SOURCE_KEY: 'key'};
  const call = {format: 'yourls', store: 'sqlite:links.db', source: 'dump.sql', values, env, stdin} as const;
  t.deepEqual(toImportOptions(call), {
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
    table: 'my_url',
    file: 'dump.sql',
  });
  t.is(toImportOptions({...call, source: '-'}).file, stdin);
});

test('the command line for another site takes the key from the environment', (t) => {
  const call = {format: 'api', store: 'sqlite:links.db', source: 'https://other.example', stdin} as const;
  const options = toImportOptions({...call, values: {account: 'ann', xml: true}, env: {SOURCE_KEY: 'key'}});
  t.like(options, {site: 'https://other.example', siteKey: 'key', xml: true, account: 'ann', createAccount: false});
  t.false('file' in options);
});
