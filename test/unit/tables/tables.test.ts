import fc from 'fast-check';
import test from 'ava';
import {readRows} from '../../../src/tables/tables.ts';
import {csvRow} from '../../../src/values/csv.ts';
import {collect} from '../../support/collect.ts';
import {isLinear} from '../../support/linear.ts';

async function* partsOf(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

const rowsOf = async (text: string, size = 100_000, separator?: string): Promise<string[][]> =>
  (await collect(readRows(partsOf(text, size), separator))).map(({line, cells, isDamaged}) => [
    `${line}${isDamaged === true ? ' damaged' : ''}`,
    ...cells,
  ]);

test('what a program quotes is read as it was, in parts of any size', async (t) => {
  const cell = fc.string({unit: fc.constantFrom('a', ',', ';', '"', '\n', '\t', ' ', 'é')});
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(cell, {minLength: 3, maxLength: 3}), {minLength: 1}),
      fc.nat(9),
      async (rows, size) => {
        const text = rows.map(csvRow).join('');
        const expected = rows.filter((cells) => cells.some((each) => each.trim() !== ''));
        t.deepEqual(
          (await rowsOf(text, size + 1, ',')).map(([, ...cells]) => cells),
          expected,
        );
      },
    ),
  );
});

test('lines end as on any system', async (t) => {
  for (const end of ['\n', '\r\n', '\r']) {
    const text = ['a,b', '1,"2', '3"', '', '4,5', ''].join(end);
    for (const size of [1, 2, 100]) {
      t.deepEqual(await rowsOf(text, size), [
        ['1', 'a', 'b'],
        ['2', '1', '2\n3'],
        ['5', '4', '5'],
      ]);
    }
  }
});

/** Titles that a program has cut within their quotation marks, or never quotes. */
const titles = ['"The mayor never saw this com', '"', '"Yes" and "no', '"A ""title'];

test('a quotation mark that is not closed takes no other row with it', async (t) => {
  for (const separator of [',', '\t']) {
    for (const title of titles) {
      for (const place of [0, 1, 2, 3]) {
        const rows = Array.from({length: 6}, (_, number) => {
          const cells = [`s${number}`, `https://a.example/${number}`, '7'];
          cells.splice(place, 0, number % 4 === 1 ? title : number === 3 ? '"Closed"' : 'Plain');
          return cells;
        });
        const header = ['slug', 'url', 'visits'];
        header.splice(place, 0, 'title');
        const text = [header, ...rows].map((cells) => cells.join(separator)).join('\n');
        const found = await rowsOf(text);
        t.deepEqual(
          found.slice(1).map(([line, ...cells]) => [line, ...cells.map((cell) => cell.replaceAll('"', ''))]),
          rows.map((cells, number) => [String(number + 2), ...cells.map((cell) => cell.replaceAll('"', ''))]),
          `${separator} ${title} ${place}`,
        );
      }
    }
  }
});

test('a row whose cells cannot be told apart is damaged, and the rows below it are read', async (t) => {
  const text =
    'slug,url,title,visits\none,https://a.example/,"One, two, th\ntwo,https://b.example/,Two,2\nthree,https://c.example/,"Three, 3",3\n';
  t.deepEqual(await rowsOf(text), [
    ['1', 'slug', 'url', 'title', 'visits'],
    ['2 damaged', 'one', 'https://a.example/', '"One', ' two', ' th'],
    ['3', 'two', 'https://b.example/', 'Two', '2'],
    ['4', 'three', 'https://c.example/', 'Three, 3', '3'],
  ]);
});

test('a cell with line breaks, separators and addresses is one cell', async (t) => {
  const description = 'Dear all,\nthe concert, as announced, is over.\nSee https://b.example/, please';
  const text = csvRow(['slug', 'description', 'url', 'visits']) + csvRow(['a', description, 'https://a.example/', '5']);
  t.deepEqual((await rowsOf(text))[1], ['2', 'a', description, 'https://a.example/', '5']);
});

test('open quotation marks are read in linear time', async (t) => {
  for (const line of ['"a', 'a,"b', '"https://a.example/,"b,"c']) {
    const read = (count: number) => rowsOf(`a,b,c\n${`${line}\n`.repeat(count)}1,https://a.example/,2`);
    t.true(await isLinear(3000, read), line);
  }
});
