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
