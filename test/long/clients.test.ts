import {execFile} from 'node:child_process';
import {writeFile} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {promisify} from 'node:util';
import test from 'ava';
import {build} from 'esbuild';
import fc from 'fast-check';
import ts from 'typescript';
import {install} from '../contract/package/installation.ts';
import {operations} from '../support/description.ts';
import {temporaryFolder} from '../support/folder.ts';
import {onDemand} from '../support/on-demand.ts';
import {thisFile} from '../support/this-file.ts';
import {common, postOnly} from './fuzz/operations.ts';
import {startFuzzSite} from './fuzz/site.ts';

const run = promisify(execFile);
const description = resolve('docs/openapi.json');
const descriptions = [description, resolve('docs/openapi-get.json')];
const owner = thisFile();
let folder = '';

test.before(async () => {
  folder = resolve(await temporaryFolder(owner, 'test/clients-'));
});

/** What the compiler says of a program beside a generated client. */
async function complaints(name: string, program: string, place = folder): Promise<string[]> {
  const file = join(place, name);
  await writeFile(file, program);
  const compiled = ts.createProgram([file], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    types: ['node'],
    typeRoots: [resolve('node_modules/@types')],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  });
  return ts
    .getPreEmitDiagnostics(compiled)
    .map(({code, messageText}) => `TS${code} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
}

test('a client made by openapi-typescript types the calls, the answers and the errors', async (t) => {
  await run('node_modules/.bin/openapi-typescript', [description, '-o', join(folder, 'paths.ts')]);
  const program = `
    import createClient from 'openapi-fetch';
    import type {paths} from './paths.ts';
    const client = createClient<paths>({baseUrl: 'https://example.com'});
    export async function call(): Promise<void> {
      const {data, error} = await client.POST('/api/v1/shorturl/create', {body: {url: 'https://example.org/'}});
      const part: string | undefined = data?.data.short_url_part;
      const code: 'custom_url_taken' extends NonNullable<typeof error>['data']['error'] ? true : false = true;
      const page = await client.POST('/api/v1/shorturl/list_urls', {body: {order: 'visits'}});
      const title: string | null | undefined = page.data?.data.urls[0]?.title;
      // @ts-expect-error A number is no URL.
      await client.POST('/api/v1/shorturl/create', {body: {url: 5}});
      // @ts-expect-error An answer has no such field.
      console.log(part, code, title, data?.data.colour);
    }`;
  t.deepEqual(await complaints('by-openapi-typescript.ts', program), []);
});

test('types made by @hey-api/openapi-ts have the calls, the answers and the errors', async (t) => {
  await run('node_modules/.bin/openapi-ts', [
    '-i',
    description,
    '-o',
    join(folder, 'hey'),
    '-p',
    '@hey-api/typescript',
  ]);
  const program = `
    import type {PostCreateData, PostCreateErrors, PostCreateResponse, PostListUrlsResponse} from './hey/types.gen.ts';
    export const call: PostCreateData['body'] = {url: 'https://example.org/', tags: ['mail']};
    export const part = (answer: PostCreateResponse): string => answer.data.short_url_part;
    export const title = (answer: PostListUrlsResponse): string | null | undefined => answer.data.urls[0]?.title;
    export const code: PostCreateErrors[409]['data']['error'] = 'custom_url_taken';
    // @ts-expect-error An answer has no such field.
    export const colour = (answer: PostCreateResponse): unknown => answer.data.colour;`;
  t.deepEqual(await complaints('by-hey-api.ts', program), []);
});

/** A generated module, without its types. */
async function runnable(file: string): Promise<unknown> {
  const outfile = file.replace(/ts$/, 'mjs');
  await build({entryPoints: [file], outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'error'});
  return import(pathToFileURL(outfile).href);
}

const siteHeaders = {'X-Forwarded-Host': 'example.com', 'X-Forwarded-Proto': 'https'};

/** The part of a client by swagger-typescript-api that the test calls. */
type ApiOfSwagger = new (options: object) => {
  readonly api: {
    postCreate(body: object): Promise<{readonly data: {readonly data: {readonly short_url_part: string}}}>;
  };
};

/** A schema of Zod. */
interface Schema {
  parse(value: unknown): unknown;
}

onDemand('Redocly and Spectral have no complaint about the descriptions', async (t) => {
  t.timeout(600_000);
  const cwd = await install(t, {
    packages: {'@redocly/cli': '2', '@stoplight/spectral-cli': '6'},
    files: {'rules.yaml': 'extends: ["spectral:oas"]\n'},
  });
  const env = {...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true'};
  for (const each of descriptions) {
    const redocly = ['node_modules/@redocly/cli/bin/cli.js', 'lint', each, '--format=json'];
    const {stdout} = await run(process.execPath, redocly, {cwd, env});
    t.like(JSON.parse(stdout), {totals: {errors: 0, warnings: 0}}, stdout);
  }
  const spectral = ['node_modules/@stoplight/spectral-cli/dist/index.js', 'lint', ...descriptions, '-r', 'rules.yaml'];
  await t.notThrowsAsync(run(process.execPath, [...spectral, '--fail-severity=hint'], {cwd}));
});

onDemand('a client made by swagger-typescript-api is typed, and gets the answers of a site', async (t) => {
  t.timeout(600_000);
  const cwd = await install(t, {packages: {'swagger-typescript-api': '13'}});
  const generator = 'node_modules/swagger-typescript-api/dist/cli.mjs';
  await run(process.execPath, [generator, 'generate', '-p', description, '-o', '.', '-n', 'api.ts'], {cwd});
  const program = `
    import {Api} from './api.ts';
    export async function call(api: Api<unknown>): Promise<void> {
      const {data} = await api.api.postCreate({url: 'https://example.org/'});
      const part: string = data.data.short_url_part;
      // @ts-expect-error A number is no URL.
      await api.api.postCreate({url: 5});
      // @ts-expect-error An answer has no such field.
      console.log(part, data.data.colour);
    }`;
  t.deepEqual(await complaints('call.ts', program, cwd), []);

  const {Api} = (await runnable(join(cwd, 'api.ts'))) as {Api: ApiOfSwagger};
  const {port, keys} = await startFuzzSite(t, {store: 'memory:'});
  const api = new Api({
    baseUrl: `http://127.0.0.1:${port}`,
    baseApiParams: {headers: {...siteHeaders, Authorization: `Bearer ${keys.mine}`}},
  });
  const {data} = await api.api.postCreate({url: 'https://destination.example/', custom_url: 'generated'});
  t.is(data.data.short_url_part, 'generated');
  const refused = await api.api.postCreate({url: 'none'}).catch((error: unknown) => error);
  t.like(refused, {status: 400, error: {data: {error: 'invalid_url'}}});
});

onDemand('a client made by orval is typed, and its schemas accept every answer of a site', async (t) => {
  t.timeout(600_000);
  const output = (target: string, client: string, override = {}): object => ({
    input: description,
    output: {target, client, mode: 'single', override},
  });
  const strict = {zod: {generateEachHttpStatus: true, strict: {response: true}}};
  const cwd = await install(t, {
    packages: {orval: '>=7', zod: '4'},
    files: {
      'orval.config.cjs': `module.exports = ${JSON.stringify({
        client: output('client.ts', 'fetch'),
        schemas: output('schemas.ts', 'zod', strict),
      })};`,
    },
  });
  await run('node_modules/.bin/orval', ['--config', 'orval.config.cjs'], {cwd});
  const program = `
    import {postCreate} from './client.ts';
    export async function call(): Promise<void> {
      const answer = await postCreate({url: 'https://example.org/'});
      if (answer.status === 409) console.log(answer.data.data.error === 'custom_url_taken');
      // @ts-expect-error A number is no URL.
      await postCreate({url: 5});
      // @ts-expect-error There is no such error.
      if (answer.status === 409) console.log(answer.data.data.error === 'colour');
    }`;
  t.deepEqual(await complaints('call.ts', program, cwd), []);

  const schemas = (await runnable(join(cwd, 'schemas.ts'))) as Readonly<Record<string, Schema | undefined>>;
  const {port, keys} = await startFuzzSite(t, {store: 'memory:'});
  const judged = new Set<string>();
  const calls = fc.oneof(common, postOnly(keys));
  const property = fc.asyncProperty(calls, fc.constantFrom(keys.mine, keys.theirs), async ({name, parameters}, key) => {
    const id = `post_${name}`.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (!operations.has(id)) return;
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/shorturl/${name}`, {
      method: 'POST',
      headers: {...siteHeaders, Authorization: `Bearer ${key}`, 'Content-Type': 'application/json'},
      body: JSON.stringify(Object.fromEntries(parameters.map((each) => [each.name, each.value]))),
    });
    // A picture has no schema.
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false;
    if (!isJson) return;
    const schema = schemas[`${id}${answer.status}Response`];
    if (schema === undefined) throw new Error(`${name} answers ${answer.status}, which is not described`);
    schema.parse(await answer.json());
    judged.add(`${name} ${answer.status}`);
  });
  await fc.assert(property, {numRuns: 1500});
  t.log([...judged].toSorted().join(', '));
  t.true(judged.size >= 30, 'Some operations were not called');
});
