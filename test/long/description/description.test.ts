import {readFile} from 'node:fs/promises';
import {validate} from '@readme/openapi-parser';
import test from 'ava';
import {type Envelope, writerOf} from '../../../src/http/envelope.ts';
import {follow, openApi, type Response} from '../../support/description.ts';
import {judgeXml} from '../../support/judge-xml.ts';
import {judgeValue} from '../../support/judge.ts';
import {blocksOf} from '../../support/pages.ts';
import {sharedSite} from '../../support/site.ts';

const site = sharedSite({});
const text = JSON.stringify(openApi);

for (const name of ['openapi.json', 'openapi-get.json']) {
  test(`${name} is valid OpenAPI 3.1`, async (t) => {
    const result = await validate(`docs/${name}`);
    t.true(result.valid, JSON.stringify(result));
  });
}

test('the examples of answers, written as XML, and the one in docs/api.md are valid by the XML Schema', async (t) => {
  const {envelope} = await writerOf('xml');
  const calls = Object.entries(openApi.paths).filter(([path]) => path.startsWith('/api/'));
  const responses = calls.flatMap(([, item]) => Object.values(item).flatMap((each) => Object.values(each.responses)));
  const examples = responses.flatMap((response) =>
    Object.values(follow<Response>(response).content?.['application/json']?.examples ?? {}),
  );
  // The answer to a wrong format is JSON.
  const ofXml = examples.map(({value}) => value as Envelope).filter(({data}) => data['error'] !== 'unsupported_format');
  const texts = ofXml.map(envelope);
  const ofPage = blocksOf(await readFile('docs/api.md', 'utf8')).filter(({language}) => language === 'xml');
  t.is(ofPage.length, 1);
  for (const document of new Set([...texts, ...ofPage.map(({code}) => code)])) {
    await t.notThrowsAsync(judgeXml(document), document);
  }
});

test('every component of the description is used', (t) => {
  const {securitySchemes, ...referenced} = openApi.components;
  for (const name of Object.keys(securitySchemes)) t.true(text.includes(`"security":[{"${name}":[]}]`), name);
  for (const [kind, components] of Object.entries(referenced)) {
    for (const name of Object.keys(components)) {
      t.true(text.includes(`"#/components/${kind}/${name}"`), `${kind}/${name} is not used`);
    }
  }
});

/** Values that the description forbids, and the error that the program answers. */
const forbidden: ReadonlyArray<[operation: string, name: string, value: string, error: string]> = [
  ['create', 'custom_url', 'x'.repeat(325), 'invalid_custom_url'],
  ['create', 'custom_url', 'a b', 'invalid_custom_url'],
  ['create', 'password', 'x'.repeat(129), 'invalid_password'],
  ['create', 'expiry_date', '31.12.2031', 'invalid_expiry_date'],
  ['create', 'base_domain', 'sho.rt/', 'invalid_base_domain'],
  ['create', 'title', 'x'.repeat(201), 'malformed_parameter'],
  ['create', 'tags', 'a,,b', 'malformed_parameter'],
  ['create', 'tags', 'x'.repeat(51), 'malformed_parameter'],
  ['update', 'title', 'x'.repeat(201), 'malformed_parameter'],
  ['create', 'tags', Array.from({length: 21}, (_, index) => index).join(), 'malformed_parameter'],
  ['create', 'max_visits', '0', 'malformed_parameter'],
  ['create', 'max_visits', '1000000001', 'malformed_parameter'],
  ['create', 'max_visits', '1.5', 'malformed_parameter'],
  ['update', 'clear', 'url', 'malformed_parameter'],
  ['update', 'clear', 'title,', 'malformed_parameter'],
  ['list_urls', 'status', 'removed', 'malformed_parameter'],
  ['list_urls', 'order', 'random', 'malformed_parameter'],
  ['list_urls', 'limit', '1001', 'malformed_parameter'],
  ['list_active_urls', 'limit', '0', 'malformed_parameter'],
  ['list_active_urls', 'limit', '1001', 'malformed_parameter'],
  ['list_active_urls', 'limit', '1.5', 'malformed_parameter'],
  ['list_active_urls', 'cursor', 'a.b', 'malformed_parameter'],
];
const required: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  create: {url: 'https://destination.example/'},
  update: {short_url: 'https://example.com/none'},
};
for (const [operation, name, value, error] of forbidden) {
  test(`the description and the program both refuse ${value.slice(0, 20)} for ${name} of ${operation}`, async (t) => {
    const schema = openApi.components.parameters[name]?.schema ?? {};
    t.throws(() => {
      judgeValue(schema.type === 'integer' ? Number(value) : value, schema);
    });
    const reply = await (await site()).api(operation, {[name]: value, ...required[operation]});
    t.is(reply.json().data.error, error);
  });
}

test('the documentation links to the descriptions, and the package exports them', async (t) => {
  const pages = (await Promise.all(['docs/api.md', 'docs/get-api.md'].map((file) => readFile(file, 'utf8')))).join('');
  for (const name of ['openapi.json', 'openapi-get.json', 'short-url.xsd']) {
    t.true(pages.includes(`](${name})`), name);
    t.true(import.meta.resolve(`koa-short-url/${name}`).endsWith(`/dist/${name}`));
  }
});
