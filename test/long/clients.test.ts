import {execFile} from 'node:child_process';
import {writeFile} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {promisify} from 'node:util';
import test from 'ava';
import ts from 'typescript';
import {temporaryFolder} from '../support/folder.ts';
import {thisFile} from '../support/this-file.ts';

const run = promisify(execFile);
const description = resolve('docs/openapi.json');
const owner = thisFile();
let folder = '';

test.before(async () => {
  folder = resolve(await temporaryFolder(owner, 'test/clients-'));
});

/** What the compiler says of a program beside a generated client. */
async function complaints(name: string, program: string): Promise<string[]> {
  const file = join(folder, name);
  await writeFile(file, program);
  const compiled = ts.createProgram([file], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    types: ['node'],
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
