import test from 'ava';
import {type Envelope, writerOf} from '../../../src/http/envelope.ts';
import {follow, openApi, type Operation, type Parameter, type Response} from '../../support/description.ts';
import {judgeAnswer} from '../../support/judge.ts';
import {Reply} from '../../support/request.ts';

interface Answer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

type Json = Record<string, unknown>;

const xml = await writerOf('xml');

/** Values of the headers whose schema does not have one. */
const headerValues: Readonly<Record<string, string>> = {
  location: 'https://destination.example/',
  vary: 'Accept, Accept-Language',
  'content-security-policy': "default-src 'none'",
  'retry-after': '60',
};

const [anyOtherOperation, anyOtherMethod] = openApi['x-other-calls'];

/** Answers that match the description: each example of each operation, status and format. */
const described: readonly Answer[] = [
  ...Object.entries(openApi.paths).flatMap(([template, item]) =>
    Object.entries(item).flatMap(([name, {responses, parameters = []}]) => {
      const method = name.toUpperCase();
      const ofPath = parameters.map((reference) => follow<Parameter>(reference));
      const path = ofPath.reduce((text, each) => text.replace(`{${each.name}}`, String(each.example)), template);
      return answersOf(responses, {method, path});
    }),
  ),
  ...answersOf(anyOtherOperation?.responses ?? {}, {method: 'GET', path: '/api/v1/shorturl/delete'}),
  ...answersOf(anyOtherMethod?.responses ?? {}, {method: 'PUT', path: '/api/v1/shorturl/info'}),
];

/** The contents of a response, with the same in XML as in JSON. */
function inBothFormats(
  content: NonNullable<Response['content']>,
): Array<[string, {examples?: Record<string, {value: unknown}>}]> {
  return Object.entries(content).flatMap(([type, media]) => {
    if (type !== 'application/json') return [[type, media]];
    const examples = Object.entries(media.examples ?? {})
      // It says that there is no such format.
      .filter(([name]) => name !== 'unsupported_format')
      .map(([name, {value}]) => [name, {value: xml.envelope(value as Envelope)}] as const);
    return [
      [type, media],
      ['application/xml', {examples: Object.fromEntries(examples)}],
    ];
  });
}

function answersOf(responses: Operation['responses'], ask: {method: string; path: string}): Answer[] {
  return Object.entries(responses).flatMap(([status, reference]) => {
    const {headers = {}, content} = follow<Response>(reference);
    const values = Object.entries(headers).map(([name, header]) => {
      const {schema} = follow(header);
      return [
        name.toLowerCase(),
        (schema.const as string | undefined) ?? schema.enum?.[0] ?? headerValues[name.toLowerCase()],
      ];
    });
    // A site's own answer is not described further.
    if (values.length === 0) return [];
    const answer = {...ask, status: Number(status), headers: Object.fromEntries(values) as Answer['headers'], text: ''};
    if (content === undefined) return [answer];
    const contents = ask.path.startsWith('/api/') ? inBothFormats(content) : Object.entries(content);
    return contents.flatMap(([type, {examples = {}}]) => {
      const values = type === 'text/html' ? ['<!DOCTYPE html>'] : Object.values(examples).map(({value}) => value);
      return values.map((value) => ({
        ...answer,
        path: type === 'application/xml' ? answer.path.replace(/(?:\.json)?$/, '.xml') : answer.path,
        headers: {...answer.headers, 'content-type': type.startsWith('image/') ? type : `${type}; charset=utf-8`},
        text: typeof value === 'string' ? value : JSON.stringify(value),
      }));
    });
  });
}

/** One for each status and format. */
const samples = Array.from(
  new Map(described.map((answer) => [`${answer.status} ${answer.headers['content-type']}`, answer])).values(),
);

const isOf = (type: string) => (answer: Answer) => answer.headers['content-type']?.startsWith(type) === true;

/** The same object with each of the faults that the description forbids anywhere. */
function faultsIn(value: unknown, isOrdered = true): unknown[] {
  if (typeof value !== 'object' || value === null) return [{}];
  const entries = Object.entries(value);
  const inside = entries.flatMap(([name, member]) =>
    // The details of visits have any names.
    faultsIn(member, name !== 'details').map((fault) =>
      Array.isArray(value) ? value.with(Number(name), fault) : {...value, [name]: fault},
    ),
  );
  if (Array.isArray(value)) return inside;
  const reversed = isOrdered && entries.length > 1 ? [Object.fromEntries(entries.toReversed())] : [];
  return [...inside, ...reversed, {...value, account: 'user-42'}];
}

function faultsOfJson({text}: Answer): unknown[] {
  const {code, data} = JSON.parse(text) as {code: number; data: Json};
  const incomplete = Object.keys(data)
    .filter((name) => name !== 'next_cursor')
    .map((name) => ({code, data: Object.fromEntries(Object.entries(data).filter(([other]) => other !== name))}));
  return [...faultsIn({code, data}), ...incomplete, {code: code + 1, data}];
}

const faultsOfXml: ReadonlyArray<(text: string) => string> = [
  (text) => text.replace('<code>', '<code type="integer">'),
  (text) => text.replace('<code>', '<code> '),
  (text) => text.replace('<data>', '<data><!-- -->'),
  (text) => text.replace('<data>', '<data><account>user-42</account>'),
  (text) => text.replace(/<(date_time)>.*?<\/\1>/, ''),
  (text) => text.replace(/<(date_time)>.*?<\/\1>/, '$&$&'),
  (text) => text.replace(/(<code>.*?<\/code>)(.*)<\/response>/, '$2$1</response>'),
  (text) => text.replace('</data>', '&nbsp;</data>'),
  (text) => text.replace('</response>', ''),
  (text) => `${text}<response/>`,
];

async function judge({method, path, status, headers, text}: Answer): Promise<void> {
  await judgeAnswer({method, path}, '', new Reply(status, headers, text));
}

test('an answer as described is accepted', async (t) => {
  t.true(described.length > 300, String(described.length));
  for (const answer of described) await t.notThrowsAsync(judge(answer));
});

const faults: Readonly<Record<string, (answer: Answer) => readonly Answer[]>> = {
  'without one of its headers': (answer) =>
    Object.keys(answer.headers)
      // An answer to a visit that lacks these is the host's.
      .filter((name) => answer.path.startsWith('/api/') || !['x-robots-tag', 'cache-control'].includes(name))
      .map((name) => {
        const others = Object.entries(answer.headers).filter(([other]) => other !== name);
        return {...answer, headers: Object.fromEntries(others)};
      }),
  'with a header of other answers': (answer) =>
    ['allow', 'location', 'retry-after', 'www-authenticate']
      .filter((name) => answer.headers[name] === undefined)
      .map((name) => ({...answer, headers: {...answer.headers, [name]: headerValues[name] ?? 'GET'}})),
  'with a status that it does not have': (answer) => [{...answer, status: 299}],
  'in a format that was not asked for': (answer) =>
    answer.headers['content-type'] === undefined
      ? [{...answer, text: 'Found'}]
      : [{...answer, headers: {...answer.headers, 'content-type': 'text/plain'}}],
  'with another structure of its JSON': (answer) =>
    isOf('application/json')(answer)
      ? faultsOfJson(answer).map((fault) => ({...answer, text: JSON.stringify(fault)}))
      : [],
  'with another structure of its XML': (answer) =>
    isOf('application/xml')(answer) ? faultsOfXml.map((spoil) => ({...answer, text: spoil(answer.text)})) : [],
};
for (const [what, spoil] of Object.entries(faults)) {
  test(`an answer ${what} is refused`, async (t) => {
    const wrongs = samples.flatMap((answer) => spoil(answer));
    t.true(wrongs.length > 0);
    for (const wrong of wrongs)
      await t.throwsAsync(judge(wrong), {message: /is not as described/}, JSON.stringify(wrong));
  });
}
