import test from 'ava';
import {Bases} from '../../../src/link/bases.ts';
import {ShortParts} from '../../../src/link/short-part.ts';
import {readReserved} from '../../../src/site/reserved.ts';

const bases = new Bases('https://example.com', []);

test('a name of the site is reserved in every case, and however its letters are written', (t) => {
  const names = ['ΟΔΟΣ', 'cafe\u0301', 'ÜBER', 'ﬁlm', '❤\uFE0F', 'İletişim'];
  const router = {
    stack: [
      {path: '/Σίσυφος', methods: ['GET']},
      {path: '/me\u0301nu/:id', methods: ['GET']},
    ],
  };
  const reserved = readReserved([...names, router], bases);
  const asked = [...names, 'οδος', 'οδοσ', 'Café', 'CAFÉ', 'u\u0308ber', 'FILM', '❤', 'σίσυφος', 'ΣΊΣΥΦΟΣ', 'Ménu'];
  for (const ignoreCase of [true, false]) {
    const shortParts = new ShortParts({unicode: true, ignoreCase});
    for (const name of asked) {
      t.throws(() => shortParts.check(name, reserved), {code: 'invalid_custom_url'} as object, name);
    }
    t.is(shortParts.check('cafes', reserved), 'cafes');
  }
});
