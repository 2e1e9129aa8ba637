import {Calendar} from '../../../src/values/calendar.ts';
import {ReservedSlugs} from '../../../src/site/reserved.ts';
import test from 'ava';
import {Bases} from '../../../src/link/bases.ts';
import {checkNewLink} from '../../../src/link/new-link.ts';

const rules = {
  bases: new Bases('https://example.com', ['bücher.example']),
  reserved: new ReservedSlugs(),
  calendar: new Calendar(),
  now: Date.UTC(2030, 0, 1),
};

test('URLs and domains with Latin-1 characters are accepted, also after 20,000 calls in the process', (t) => {
  for (let count = 0; count < 20_000; count++) {
    const wish = {url: 'https://bücher.example/käse?q=ß#ü', baseDomain: 'bücher.example'};
    const {target} = checkNewLink(wish, rules).url;
    if (target !== 'https://xn--bcher-kva.example/k%C3%A4se?q=%C3%9F#%C3%BC') t.fail(`${target} after ${count}`);
    if (rules.bases.find('BÜCHER.example')?.domain !== 'xn--bcher-kva.example') t.fail(`unknown after ${count}`);
  }
  t.pass();
});

test('an argument that is not an object is refused with missing_parameter', (t) => {
  for (const wish of [undefined, null, 'https://destination.example/', 42]) {
    t.throws(() => checkNewLink(wish as never, rules), {code: 'missing_parameter'}, String(wish));
  }
});

test('an unknown field is refused, and an undefined one counts as absent', (t) => {
  const url = 'https://destination.example/';
  t.throws(() => checkNewLink({url, note: 'x'} as never, rules), {
    code: 'unknown_parameter',
    message:
      /\burl, customUrl, password, expiryDate, baseDomain, title, tags, maxVisits, startDate, expiredUrl, forwardQuery, rules, previewTitle, previewDescription, previewImage, reference, confirm, utm, reuse;/,
  });
  const {customUrl, password} = checkNewLink({url, customUrl: undefined, note: undefined} as never, rules);
  t.deepEqual([customUrl, password], [undefined, undefined]);
  for (const name of ['url', 'customUrl', 'password', 'expiryDate', 'baseDomain']) {
    for (const value of [42, null, '', true, {}]) {
      t.throws(() => checkNewLink({url, [name]: value}, rules), {
        code: 'malformed_parameter',
        message: `Expected \`${name}\` to be a string that is not empty.`,
      });
    }
  }
  t.throws(() => checkNewLink({customUrl: 'spring'} as never, rules), {code: 'missing_parameter', message: /`url`/});
});

test('an invalid field is refused with its code, and the message says what it may be', (t) => {
  const url = 'https://destination.example/';
  const refusals: Array<[wish: object, code: string, message: RegExp]> = [
    [{url: `${url}\n`}, 'invalid_url', /control characters/],
    [{url: `${url}\uFFFE`}, 'invalid_url', /control characters/],
    [{url: ` ${url}`}, 'invalid_url', /white space/],
    [{url: `${url} `}, 'invalid_url', /white space/],
    [{url: 'ftp://destination.example/'}, 'invalid_url', /http or https/],
    [{url, customUrl: 'API'}, 'invalid_custom_url', /reserved/],
    [{url, password: 'é'.repeat(65)}, 'invalid_password', /at most 128 bytes/],
    [{url, expiryDate: '2029-12-31'}, 'invalid_expiry_date', /past/],
    [{url, title: '🌷'.repeat(201)}, 'malformed_parameter', /title must be 1 to 200 characters/],
    [{url, title: ' spring'}, 'malformed_parameter', /white space at the ends/],
    [{url, tags: 'mail'}, 'malformed_parameter', /tags must be an array of at most 20/],
    [{url, tags: ['']}, 'malformed_parameter', /1 to 50 characters/],
    [{url, tags: ['ä'.normalize('NFD').repeat(51)]}, 'malformed_parameter', /1 to 50 characters/],
    [{url, tags: ['a,b']}, 'malformed_parameter', /commas/],
    [{url, tags: [5]}, 'malformed_parameter', /1 to 50 characters/],
    [{url, maxVisits: '5'}, 'malformed_parameter', /an integer from 1 to 1000000000/],
    [{url, baseDomain: 'other.example'}, 'unknown_base_domain', /one of the domains/],
  ];
  for (const [wish, code, message] of refusals) {
    t.throws(() => checkNewLink(wish as never, rules), {code, message}, JSON.stringify(wish).slice(0, 80));
  }
});

test('valid fields come back as they were given, with the serialised URL and the end of the last day', (t) => {
  const url = 'HTTP://Destination.example/a b?c=ü';
  const wish = {
    url,
    customUrl: 'Spring',
    password: 'é'.repeat(64),
    expiryDate: '2030-01-01',
    baseDomain: 'bücher.example',
    title: 'Spring sale 🌷',
    tags: ['mail', 'Mail', 'mail', 'ä'.repeat(50).normalize('NFD')],
    maxVisits: 1_000_000_000,
  };
  const {baseDomain, ...link} = checkNewLink(wish, rules);
  t.is(baseDomain.domain, 'xn--bcher-kva.example');
  t.deepEqual(link, {
    url: {url, target: 'http://destination.example/a%20b?c=%C3%BC'},
    customUrl: 'Spring',
    password: 'é'.repeat(64),
    expiryDate: Date.UTC(2030, 0, 2),
    title: 'Spring sale 🌷',
    tags: ['mail', 'Mail', 'ä'.repeat(50)],
    maxVisits: 1_000_000_000,
  });
  const maxUrl = `https://destination.example/${'a'.repeat(8192 - 28)}`;
  t.is(checkNewLink({url: maxUrl}, rules).url.target, maxUrl);
});
