import {spawnSync} from 'node:child_process';
import {readdir, readFile, writeFile} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import process from 'node:process';
import test from 'ava';
import ts from 'typescript';
import {folderInPackage} from '../../support/pages.ts';

/** Where the public methods are declared, and the options. */
const methodsOf = ['ShortUrlAccounts', 'ShortUrlConversions', 'LinkOperations', 'ShareOperations', 'Keys', 'Admin'];
const optionsOf = ['ShortUrlOptions', 'AttributionOptions', 'ShortPartOptions', 'DashboardOptions'];
const tools = ['checkStore', 'copyStore', 'exportLinks', 'importLinks', 'plan', 'reseal'];

/** What an editor shows of a declaration. */
interface Comment {
  readonly name: string;
  readonly owner: string;
  readonly sentence: string;
  readonly tags: readonly string[];
  readonly examples: readonly string[];
}

const comments = await readComments();

function commentOf(owner: string, name: string, node: ts.Node): Comment {
  const tags = ts.getJSDocTags(node);
  const written = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  return {
    owner,
    name,
    sentence: written.map(({comment}) => ts.getTextOfJSDocComment(comment) ?? '').join(' '),
    tags: tags.map(({tagName}) => tagName.text),
    examples: tags
      .filter(({tagName}) => tagName.text === 'example')
      .map(({comment}) => ts.getTextOfJSDocComment(comment) ?? ''),
  };
}

/** The comments of the published declarations. */
async function readComments(): Promise<Comment[]> {
  const files = (await readdir('dist', {recursive: true})).filter((file) => file.endsWith('.d.ts'));
  const found: Comment[] = [];
  for (const file of files) {
    const text = await readFile(join('dist', file), 'utf8');
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
    for (const statement of source.statements) {
      if (ts.isInterfaceDeclaration(statement) || ts.isClassDeclaration(statement)) {
        const owner = statement.name?.text ?? '';
        if (owner === 'ShortUrlEvents') found.push(commentOf('shortener', 'events', statement));
        if (![...methodsOf, ...optionsOf].includes(owner)) continue;
        for (const member of statement.members) {
          const name = member.name !== undefined && ts.isIdentifier(member.name) ? member.name.text : '';
          if (name !== '') found.push(commentOf(owner, name, member));
        }
      }
      const called = ts.isFunctionDeclaration(statement) ? (statement.name?.text ?? '') : '';
      if (tools.includes(called)) found.push(commentOf('tools', called, statement));
    }
  }
  return found;
}

test('every public method has a sentence and an example in the declarations', (t) => {
  const methods = comments.filter(({owner}) => [...methodsOf, 'tools'].includes(owner));
  t.true(methods.length > 40, String(methods.length));
  for (const {owner, name, sentence, examples} of methods) {
    t.regex(sentence, /^[A-Z`].*\S/s, `${owner}.${name} has no sentence`);
    t.true(examples.length > 0, `${owner}.${name} has no example`);
  }
});

test('every option has a sentence, and that of the shortener its default or an example', (t) => {
  const options = comments.filter(({owner}) => optionsOf.includes(owner));
  t.true(options.length > 40, String(options.length));
  for (const {owner, name, sentence, tags} of options) {
    t.regex(sentence, /^[A-Z].*\.$/s, `${owner}.${name} has no sentence`);
    if (owner !== 'ShortUrlOptions' || name === 'baseUrl') continue;
    t.true(tags.includes('default') || tags.includes('example'), `${owner}.${name} has neither default nor example`);
  }
});

/** The types of options of which the package exports no name. */
const typeOf: Readonly<Record<string, string>> = {
  AttributionOptions: "NonNullable<ShortUrlOptions['attribution']>",
  ShortPartOptions: "NonNullable<ShortUrlOptions['shortParts']>",
};

/** The example of an option as a program: it is the value, with or without the name of the option before it. */
function programOfOption(owner: string, name: string, code: string): string {
  const property = code.startsWith(`${name}:`) ? code : `${name}: ${code}`;
  return `void ({${property}} satisfies Partial<${typeOf[owner] ?? owner}>);`;
}

test('the examples of methods, options and events are programs that the compiler accepts', async (t) => {
  const examples = comments.flatMap(({owner, name, examples: each}) =>
    each.map((code) => ({
      title: `${owner}.${name}`,
      code: optionsOf.includes(owner) ? programOfOption(owner, name, code) : code,
    })),
  );
  for (const owner of ['ShortUrlOptions', 'AttributionOptions', 'DashboardOptions', 'shortener']) {
    t.true(
      examples.some(({title}) => title.startsWith(`${owner}.`)),
      `${owner} has no example`,
    );
  }
  const head = [
    "import {createWriteStream} from 'node:fs';",
    "import type {Server} from 'node:http';",
    "import type Koa from 'koa';",
    "import type {Context} from 'koa';",
    "import pg from 'pg';",
    "import {isbot} from 'isbot';",
    "import {type Conversion, defaultVisitDetails, type LinkChange, type ShortUrl, type ShortUrlOptions} from 'koa-short-url';",
    "import type {DashboardOptions} from 'koa-short-url/dashboard';",
    `import {${tools.join(', ')}} from 'koa-short-url/tools';`,
    'declare const shortener: ShortUrl;',
    'declare const ctx: Context, app: Koa, server: Server;',
    'declare const user: {readonly id: string};',
    'declare const users: ReadonlyArray<typeof user>;',
    'declare const key: {readonly id: string};',
    'declare const id: string, shortUrl: string, store: string, newSecret: string, oldSecret: string;',
    'declare const order: Conversion & {readonly cents: number};',
    'declare const refund: {readonly id: string; readonly cents: number};',
    'declare const invoice: typeof refund;',
    'declare const router: {stack: []; post(path: string, handler: (ctx: Context) => Promise<void>): void};',
    'declare function planOf(account: string): Promise<string>;',
    'declare const db: {',
    '  verifiedDomain(domain: string): Promise<string | undefined>;',
    '  verifiedDomainsOf(account: string): Promise<string[]>;',
    '  emailOf(account: string): Promise<string>;',
    '  idsOfUsersLike(text: string): Promise<string[]>;',
    '};',
  ];
  const blocks = examples.map(({title, code}) => `// ${title}\nvoid (async () => {\n${code}\n});`);
  const file = join(await folderInPackage(t), 'examples.mts');
  await writeFile(file, [...head, ...blocks, 'export {createWriteStream};'].join('\n'));
  const compiler = resolve('node_modules/typescript-7/bin/tsc');
  const options = '--ignoreConfig --strict --noEmit --skipLibCheck --target es2022 --lib es2023,esnext.disposable';
  const modules = '--module nodenext --types node --pretty';
  const {status, stdout} = spawnSync(process.execPath, [compiler, ...`${options} ${modules}`.split(' '), file], {
    encoding: 'utf8',
  });
  t.is(status, 0, stdout);
});
