import test from 'ava';
import {ShortParts} from '../../../src/link/short-part.ts';

test('the time to read a short part does not grow with its alternatives', (t) => {
  const shortParts = new ShortParts({unicode: true, segments: 5});
  // Each of these would take years if two alternatives of the pattern began with the same character.
  for (const unit of [...Array.from('aé1_ℹ☺/'), '\u{1F3FB}', '👨\u{1F3FB}', '👨\u200D', '🇩', '🇩🇪', 'น้ำ', 'a/']) {
    t.is(shortParts.read(`${unit.repeat(900 / unit.length)}!`), undefined);
    t.is(shortParts.readEncoded(`${encodeURIComponent(unit).repeat(300)}!`), undefined);
  }
});

test('a stored short part is read as itself', (t) => {
  const shortParts = new ShortParts({unicode: true, ignoreCase: true});
  for (const text of ['Spring', 'ΣΊΣΥΦΟΣ', 'İstanbul', 'STRASSE', 'Frühling', '❤️']) {
    const slug = shortParts.read(text);
    t.is(slug === undefined ? undefined : shortParts.read(slug), slug);
    t.is(shortParts.readEncoded(shortParts.encode(slug ?? '')), slug);
  }
});

test('a generated short part is one, and in lower case where case is ignored', (t) => {
  const shortParts = new ShortParts({ignoreCase: true});
  for (let count = 0; count < 200; count += 1) {
    const slug = shortParts.generate(7);
    t.is(shortParts.read(slug), slug);
    t.regex(slug, /^[2-9a-z]{7}$/);
  }
});

test('a short part of another site names the option that would allow it', (t) => {
  const shortParts = new ShortParts();
  t.deepEqual(shortParts.optionsFor('весна'), ['shortParts.unicode']);
  t.deepEqual(shortParts.optionsFor('a/b'), ['shortParts.segments']);
  t.deepEqual(shortParts.optionsFor('весна/b'), ['shortParts.unicode', 'shortParts.segments']);
  t.deepEqual(new ShortParts({unicode: true}).optionsFor('весна/b'), ['shortParts.segments']);
  for (const text of ['spring', 'a b', 'a/b/c/d/e/f', 'ads.txt']) t.deepEqual(shortParts.optionsFor(text), [], text);
});

test('short parts that look the same are one, in every form in which a letter can be written', (t) => {
  const shortParts = new ShortParts({unicode: true, segments: 2});
  const alike: Record<string, string[]> = {
    spring: ['𝐬𝐩𝐫𝐢𝐧𝐠', '𝗌𝗉𝗋𝗂𝗇𝗀', '𝓈𝓅𝓇𝒾𝓃ℊ', 'ｓｐｒｉｎｇ', 'ſpring', 'sprinᵍ'],
    fin: ['ﬁn'],
    ij: ['ĳ'],
    dz: ['ǳ'],
    stop: ['ﬆop', 'ﬅop'],
    Kelvin: ['\u212Aelvin'],
    café: ['cafe\u0301', 'cafｅ\u0301'],
    'a2/b3': ['a２/b𝟛'],
    μ: ['µ'],
    سلام: ['ﺳﻼﻡ', 'ﺳﻠﺎﻡ'],
    שלום: ['שלוﬦ'],
    カレー: ['ｶﾚｰ'],
    ガ: ['ｶﾞ'],
    한: ['\u1112\u1161\u11AB'],
    น้ำ: ['น\u0E49\u0E4D\u0E32', 'น\u0E4D\u0E49\u0E32'],
    TM: ['™', '™\uFE0F'],
    祝: ['㊗'],
  };
  for (const [slug, others] of Object.entries(alike)) {
    for (const text of [slug, ...others]) t.is(shortParts.read(text), slug, text);
    t.is(shortParts.readEncoded(encodeURIComponent(others[0] ?? '').replaceAll('%2F', '/')), slug);
  }
});

test('a form of compatibility brings nothing into a short part that is not allowed, and letters of no script are none', (t) => {
  const shortParts = new ShortParts({unicode: true, segments: 5});
  const none = [
    'a／b',
    'a．b',
    'a․b',
    '℀',
    '℅',
    '…a',
    '‼',
    'ﷺ',
    'ŀa',
    'aʼb',
    'ŉ',
    'مـد',
    'ʹa',
    'robotſ.txt',
    'ａds.txt',
    '①',
    'Ⅳ',
  ];
  for (const text of none) t.is(shortParts.read(text), undefined, text);
  for (const text of ['コーヒー', '人々', '〆切', 'ราคา', 'น้ำ', '👨\u200D💻', 'naïve', 'ນ້ຳ']) {
    t.is(shortParts.read(text), text, text);
  }
  t.is(shortParts.read('spーring'), undefined);
});
