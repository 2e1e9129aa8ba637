import test from 'ava';
import {timeZone} from '../../../src/tables/moments.ts';
import {readTable, type Table, type TableChoices, type TableLine} from '../../../src/tables/read-table.ts';
import {collect} from '../../support/collect.ts';

async function* parts(text: string): AsyncGenerator<string> {
  yield text;
}

async function read(
  text: string,
  choices: Partial<TableChoices> = {},
): Promise<Omit<Table, 'lines'> & {lines: TableLine[]}> {
  const table = await readTable(parts(text), {zone: timeZone(), ...choices});
  if (table === undefined) throw new Error('The table is empty');
  return {...table, lines: await collect(table.lines)};
}

const file = `Kürzel;Ziel;Gruppe;Sperrgrund;Leer
eins;https://a.example/;Mail;;
zwei;https://b.example/;Mail;Betrug;
`;

test('a preview says what each column was recognised as, which are empty, and which are in doubt', async (t) => {
  const {columns, hasHeadings, lines} = await read(file);
  t.true(hasHeadings);
  t.deepEqual(columns, [
    {heading: 'Kürzel', field: 'shortPart', isInDoubt: false, isFilled: true},
    {heading: 'Ziel', field: 'url', isInDoubt: false, isFilled: true},
    {heading: 'Gruppe', field: undefined, isInDoubt: false, isFilled: true},
    {heading: 'Sperrgrund', field: undefined, isInDoubt: true, isFilled: true},
    {heading: 'Leer', field: undefined, isInDoubt: false, isFilled: false},
  ]);
  t.like(lines[1], {line: 3, cells: ['zwei', 'https://b.example/', 'Mail', 'Betrug', '']});
  t.like(lines[1]?.links[0], {isDisabled: true, notes: [{code: 'protection_unknown'}]});
});

test('what is chosen for a column counts, whatever its heading says', async (t) => {
  const {columns, lines} = await read(file, {chosen: [null, 'url', 'title', null, undefined]});
  t.deepEqual(
    columns.map(({field, isInDoubt}) => [field, isInDoubt]),
    [undefined, 'url', 'title', undefined, undefined].map((field) => [field, false]),
  );
  const [link] = lines[1]?.links ?? [];
  t.like(link, {url: 'https://b.example/', fields: {title: 'Mail'}, isDisabled: false});
  t.false(link !== undefined && 'shortPart' in link && link.shortPart !== undefined);
});

test('a table without headings has the usual columns, or those that are chosen', async (t) => {
  const text = 'https://a.example/\tone\thttps://b.example/\n';
  const {columns, hasHeadings} = await read(text, {usual: ['url', 'custom_url']});
  t.false(hasHeadings);
  t.like(columns, [{heading: '', field: 'url'}, {field: 'shortPart'}, {heading: '', field: undefined}]);
  const {lines} = await read(text, {chosen: ['title', 'shortPart', 'url']});
  t.like(lines[0]?.links[0], {line: 1, url: 'https://b.example/', fields: {title: 'https://a.example/'}});
});

test('a row with a wrong value says which column is wrong', async (t) => {
  const {lines} = await read('url,expiry,max_visits\nhttps://a.example/,soon,\nhttps://a.example/,,many\n');
  t.like(lines[0]?.links[0], {code: 'unreadable_date', column: 1});
  t.like(lines[1]?.links[0], {code: 'unreadable_number', column: 2});
});
