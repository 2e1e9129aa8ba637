import test from 'ava';
import {linesOf} from '../../../../support/tools/lines.ts';

/** A link in the form of Kutt 3's API. */
const link = (address: string, more: object = {}): object => ({
  id: 'c4a6a2b1-6b5c-4a55-9d6f-5b1b5e0d6c11',
  address,
  banned: false,
  created_at: '2024-02-29T10:20:30.000Z',
  updated_at: '2024-03-01T00:00:00.000Z',
  password: false,
  description: null,
  expire_in: null,
  target: `https://destination.example/${address}`,
  visit_count: 0,
  domain: null,
  link: `https://kutt.example/${address}`,
  ...more,
});

const page = (...data: object[]): object => ({total: 5, limit: 10, skip: 0, data});

const created = Date.UTC(2024, 1, 29, 10, 20, 30);
const url = (address: string): string => `https://destination.example/${address}`;

test('an answer of the API is read', async (t) => {
  const file = page(
    link('one', {
      visit_count: 41,
      description: 'The first',
      domain: 'go.example',
      expire_in: '2030-12-31T10:00:00.000Z',
    }),
    link('two', {password: true}),
    link('three', {banned: true}),
    link('four', {target: null}),
    link('five', {expire_in: '2030-12-31 10:00:00'}),
  );
  t.deepEqual(await linesOf('kutt', JSON.stringify(file, undefined, 2), {size: 11}), [
    {
      line: 1,
      shortPart: 'one',
      url: url('one'),
      domain: 'go.example',
      title: 'The first',
      created,
      end: Date.UTC(2030, 11, 31, 10, 0, 1),
      visits: 41,
    },
    {line: 2, shortPart: 'two', url: url('two'), domain: 'kutt.example', created, isLocked: true},
    {line: 3, shortPart: 'three', url: url('three'), domain: 'kutt.example', created, isBlocked: true},
    {line: 4, shortPart: 'four', code: 'not_a_link', message: 'The long URL is missing.'},
    {
      line: 5,
      shortPart: 'five',
      url: url('five'),
      domain: 'kutt.example',
      created,
      end: Date.UTC(2030, 11, 31, 10, 0, 1),
    },
  ] as Awaited<ReturnType<typeof linesOf>>);
});

test('an empty list has no links, and a text that is not JSON or truncated is refused', async (t) => {
  t.deepEqual(await linesOf('kutt', JSON.stringify(page())), []);
  t.deepEqual(await linesOf('kutt', '[]'), []);
  t.like(await linesOf('kutt', '[1, "two", null]'), [{code: 'not_a_link'}, {code: 'not_a_link'}, {code: 'not_a_link'}]);
  for (const file of [
    '',
    'keyword,url\n',
    '<html></html>',
    JSON.stringify(page(link('one'))).slice(0, -20),
    '[{"address":',
  ]) {
    await t.throwsAsync(linesOf('kutt', file), {name: 'ToolError', code: 'malformed_file'}, file);
  }
});
