import test from 'ava';
import {Bases} from '../../src/links/bases.ts';
import {checkNewLink} from '../../src/links/new-link.ts';
import {ReservedSlugs} from '../../src/links/slug.ts';

const rules = {
  bases: new Bases('https://example.com', ['bücher.example']),
  reserved: new ReservedSlugs(() => new Set(['api'])),
  now: Date.UTC(2030, 0, 1),
};

test('URLs and domains with Latin-1 characters are taken however busy the process has been', (t) => {
  for (let count = 0; count < 20_000; count++) {
    const {target} = checkNewLink({url: 'https://bücher.example/käse?q=ß#ü', baseDomain: 'bücher.example'}, rules);
    if (target !== 'https://xn--bcher-kva.example/k%C3%A4se?q=%C3%9F#%C3%BC') t.fail(`${target} after ${count}`);
    if (rules.bases.find('BÜCHER.example')?.domain !== 'xn--bcher-kva.example') t.fail(`unknown after ${count}`);
  }
  t.pass();
});

test('what a wish inherits is no part of it, because nobody has checked it', (t) => {
  const inherited = {customUrl: '../x', password: 'x'.repeat(1000), expiryDate: 'never', baseDomain: 'foreign.example'};
  const wish = Object.assign(Object.create(inherited) as object, {url: 'https://destination.example/'});
  const {slug, password, end, base} = checkNewLink(wish, rules);
  t.deepEqual({slug, password, end}, {slug: undefined, password: undefined, end: undefined});
  t.is(base.domain, 'example.com');
});

test('a value is looked at once, so that it cannot be another one after it was found in order', (t) => {
  let reads = 0;
  const wish = {
    url: 'https://destination.example/',
    get customUrl() {
      reads += 1;
      return reads === 1 ? 'spring' : '../x';
    },
  };
  t.is(checkNewLink(wish, rules).slug, 'spring');
});

test('what is no object at all is refused with a code', (t) => {
  for (const wish of [undefined, null, 'https://destination.example/', 42]) {
    t.throws(() => checkNewLink(wish as never, rules), {code: 'missing_parameter'}, String(wish));
  }
});
