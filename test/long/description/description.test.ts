import {readFile} from 'node:fs/promises';
import {validate} from '@readme/openapi-parser';
import test from 'ava';
import {ShortUrlError} from '../../../src/errors.ts';
import {operations as source} from '../../../src/http/api/operations.ts';
import {errorsOf, follow, openApi, operations, type Parameter, type Response, xsd} from '../../support/description.ts';
import {pictureFormat} from '../../support/judge-call.ts';
import {judgeValue} from '../../support/judge.ts';
import {type Failure, statuses} from '../../support/answers.ts';
import {sharedSite} from '../../support/site.ts';

const site = sharedSite({});
const text = JSON.stringify(openApi);

for (const name of ['openapi.json', 'openapi-get.json']) {
  test(`${name} is valid OpenAPI 3.1`, async (t) => {
    const result = await validate(`docs/${name}`);
    t.true(result.valid, JSON.stringify(result));
  });
}

test('every component of the description is used', (t) => {
  const {securitySchemes, ...referenced} = openApi.components;
  for (const name of Object.keys(securitySchemes)) t.true(text.includes(`"security":[{"${name}":[]}]`), name);
  for (const [kind, components] of Object.entries(referenced)) {
    for (const name of Object.keys(components)) {
      t.true(text.includes(`"#/components/${kind}/${name}"`), `${kind}/${name} is not used`);
    }
  }
});

for (const [where, root, own] of [
  ['in the header', '/api/v1/shorturl/', ['format']],
  ['in the path', '/api/v1/{key}/shorturl/', ['key', 'format']],
] as const) {
  test(`the description has the program's operations and parameters, for a key ${where}`, (t) => {
    const described = new Map<string, Set<string>>();
    for (const [path, item] of Object.entries(openApi.paths)) {
      const {get} = item;
      if (!path.startsWith(root) || get === undefined) continue;
      const name = /^\w+/.exec(path.slice(root.length))?.[0] ?? '';
      const parameters = (get.parameters ?? [])
        .map((reference) => follow<Parameter>(reference))
        .flatMap((parameter) => (parameter.in === 'path' ? [parameter.name] : []));
      const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, each]) => each);
      t.deepEqual(parameters, inPath, path);
      t.deepEqual(get.security, where === 'in the header' ? [{ApiKey: []}] : undefined, path);
      described.set(name, new Set([...(described.get(name) ?? []), ...parameters]));
    }
    const byGet = Array.from(source).filter(([, {isPostOnly}]) => isPostOnly !== true);
    t.deepEqual([...described.keys()].sort(), byGet.map(([name]) => name).sort());
    for (const [name, {parameters}] of byGet) {
      const names = [...Object.keys(parameters).map((each) => (each === 'format' ? pictureFormat : each)), ...own];
      t.deepEqual([...(described.get(name) ?? [])].sort(), names.sort(), name);
    }
  });
}

test("the description has the program's operations by POST, with their parameters", (t) => {
  const described = new Map<string, string[]>();
  for (const [path, {post}] of Object.entries(openApi.paths)) {
    if (post === undefined || !path.startsWith('/api/')) continue;
    const {schema, example} = post.requestBody?.content['application/json'] ?? {schema: {}, example: undefined};
    t.notThrows(() => {
      judgeValue(example, schema);
    }, path);
    t.deepEqual(post.security, [{ApiKey: []}], path);
    described.set(/\w+$/.exec(path)?.[0] ?? '', Object.keys(schema.properties ?? {}));
  }
  t.deepEqual([...described.keys()], [...source.keys()]);
  for (const [name, {parameters}] of source) {
    t.deepEqual(described.get(name)?.sort(), Object.keys(parameters).sort(), name);
  }
});

test("the description has the program's error codes and their statuses", (t) => {
  // Only the dashboard answers with these, at paths that the description does not have.
  const described = Object.keys(statuses).filter((code) => !['foreign_page', 'not_logged_in'].includes(code));
  const codes = described.map((code) => `${new ShortUrlError(code as Failure, '').status} ${code}`);
  const found = new Set<string>();
  const all = [...Array.from(operations.values()), ...openApi['x-other-calls']];
  for (const [status, reference] of all.flatMap(({responses}) => Object.entries(responses))) {
    for (const code of errorsOf(follow<Response>(reference))) found.add(`${status} ${code}`);
  }
  // One code has other statuses too.
  t.deepEqual([...found].sort(), [...codes, '413 malformed_body', '415 malformed_body'].sort());
});

test('the XML schema has every error code and status that can be answered in XML', (t) => {
  const valuesOf = (type: string): string[] => {
    const body = new RegExp(`<xs:simpleType name="${type}">.*?</xs:simpleType>`, 's').exec(xsd)?.[0] ?? '';
    return Array.from(body.matchAll(/enumeration value="(\w+)"/g), ([, value = '']) => value).sort();
  };
  // An unsupported suffix is always refused in JSON.
  const inXml = Object.entries(statuses).filter(([error]) => error !== 'unsupported_format');
  t.deepEqual(valuesOf('Error'), inXml.map(([error]) => error).sort());
  const codes = ['200', '413', '415', ...inXml.map(([, status]) => String(status))];
  t.deepEqual(valuesOf('Code'), [...new Set(codes)].sort());
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
