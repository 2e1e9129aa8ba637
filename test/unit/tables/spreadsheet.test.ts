import test from 'ava';
import {keepText, keptText} from '../../../src/tables/spreadsheet.ts';

test('a text that a spreadsheet would change gets an apostrophe, which an import removes', (t) => {
  const texts = [
    ...[
      '007',
      '1.5',
      '50 %',
      '$5',
      '(5)',
      '1e5',
      '1E-3',
      '9e 9',
      '5 PM',
      '5:30 a.m.',
      '12:30',
      'wahr',
      'Falso',
      'vero',
    ],
    ...['2027-12-31', 'May 2027', 'May 1, 2027', 'May 1, 2027 12:30', 'Sat May 1 2027', '2027-May-01', '5 sept.'],
    ...['Samstag, 1. Mai 2027', '3. März', 'samedi 1 mai 2027', '5 févr. 2027', 'enero 5', '1 mayo 2027'],
  ];
  for (const text of texts) {
    t.is(keepText(text), `'${text}`);
    t.is(keptText(`'${text}`), text);
    t.is(keptText(keepText(`'${text}`)), `'${text}`);
  }
});

test('a text that a spreadsheet keeps stays as it is', (t) => {
  for (const text of [
    '7',
    '2024',
    'Spring 2027',
    'May',
    'Mayor 2027',
    'Room 12',
    "'x",
    'A4',
    '3 books',
    'https://a.example/1',
  ]) {
    t.is(keepText(text), text);
    t.is(keptText(text), text);
  }
});
