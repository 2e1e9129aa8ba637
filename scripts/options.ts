import {readFileSync} from 'node:fs';
import ts from 'typescript';
import {dashboardOptions} from '../src/dashboard/settings.ts';
import {withBounds} from '../src/http/api/operation.ts';
import {shortPartOptions} from '../src/link/short-part.ts';
import {attributionOptions} from '../src/shortener/attribution-options.ts';
import {shortUrlOptions} from '../src/shortener/options.ts';
import type {Option} from '../src/values/options.ts';
import {declaration, member, typeOfSchema} from './field-types.ts';

type Table = Readonly<Record<string, Option>>;

/** The TypeScript of each option. */
const types: ReadonlyMap<Option, string> = new Map([
  ...typesIn('src/link/short-part.ts', {shortPartOptions}),
  ...typesIn('src/shortener/attribution-options.ts', {attributionOptions}),
  ...typesIn('src/shortener/options.ts', {shortUrlOptions}),
  ...typesIn('src/dashboard/settings.ts', {dashboardOptions}),
]);

const header = '/* Made by `npm run generate` from the tables of options. Do not edit. */\n';

/** The types of options by the paths of their files. */
export function optionFiles(): ReadonlyArray<readonly [path: string, text: string]> {
  const ofLink = optionTypes('What a short part may be.', 'ShortPartOptions', shortPartOptions);
  const imports = [
    "import type {Context} from 'koa';",
    "import type {Pages} from '../../http/visit/pages/pages.ts';",
    "import type {ShortPartOptions} from '../../link/generated/short-part-options.ts';",
    "import type {VisitedLink} from '../../link/link.ts';",
    "import type {ReservedOption} from '../../site/reserved.ts';",
    "import type {StoreOption} from '../../store/opening/option.ts';",
    "import type {ConversionText, PageLanguage} from '../../values/language.ts';",
    '',
    "export type {RouterLike} from '../../site/reserved.ts';",
    "export type {StoreOption} from '../../store/opening/option.ts';",
    '',
  ];
  const own = [
    header + imports.join('\n'),
    optionTypes('How visitors are marked with the link that brought them.', 'AttributionOptions', attributionOptions),
    optionTypes('The options of `shortUrl` (docs/reference.md).', 'ShortUrlOptions', shortUrlOptions),
  ];
  const ofDashboard = [
    `${header}import type {Context} from 'koa';`,
    "import type {AccountDescription, DashboardPage, DashboardUser} from '../options.ts';",
    '',
    optionTypes('The options of `dashboard` (docs/dashboard.md).', 'DashboardOptions', dashboardOptions),
  ];
  return [
    ['src/dashboard/generated/options.ts', ofDashboard.join('\n')],
    ['src/link/generated/short-part-options.ts', `${header}\n${ofLink}`],
    ['src/shortener/generated/options.ts', own.join('\n')],
  ];
}

/** The text of an interface whose members are options. Its comments are what editors show. */
function optionTypes(sentence: string, name: string, table: Table): string {
  return declaration(
    sentence,
    name,
    Object.entries(table).map(([each, option]) => {
      const tags = [
        ...(codeOfDefault(option) === '' ? [] : [`@default ${withNote(codeOfDefault(option), option)}`]),
        ...(option.example === undefined ? [] : ['@example', ...option.example.split('\n')]),
      ];
      const own = typeOf(option);
      const type = own.includes('=>') && !own.includes('| (') ? `(${own})` : own;
      const text = `${withPaths(withBounds(option.sentence, option.bounds))}${option.isRequired ? ' Required.' : ''}`;
      return option.isRequired ? member(text, each, own, tags) : member(text, `${each}?`, `${type} | undefined`, tags);
    }),
  );
}

/** What the documentation says of an option: how it is called, its default, the sentence and the bounds. */
export function optionText(option: Option): string {
  const code = codeOfDefault(option);
  const parts = [
    ...(callOf(typeOf(option)) === undefined ? [] : [`\`${callOf(typeOf(option)) ?? ''}\`.`]),
    ...(option.isRequired ? ['Required.'] : []),
    ...(code === '' ? [] : [`Default ${withNote(`\`${code}\``, option)}.`]),
    withBounds(option.sentence, option.bounds),
  ];
  return parts.join(' ');
}

/** The options as items of a list. */
export function optionList(table: Table): string {
  return Object.entries(table)
    .map(([name, option]) => `- \`${name}\`: ${optionText(option)}\n`)
    .join('');
}

/** The default as code; empty if there is none to show. */
function codeOfDefault({defaultCode, default: value, membersOf}: Option): string {
  if (defaultCode !== undefined) return defaultCode;
  if (value !== undefined) return codeOf(value);
  const members = Object.entries(membersOf?.({}) ?? {});
  const defaults = members.flatMap(([name, option]) => ('default' in option ? [[name, option.default] as const] : []));
  // Without one of them, the whole option is off.
  return defaults.length > 0 && defaults.length === members.length ? codeOf(Object.fromEntries(defaults)) : '';
}

function codeOf(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (Array.isArray(value)) return `[${value.map(codeOf).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  return `{${Object.entries(value)
    .map(([name, each]) => `${name}: ${codeOf(each)}`)
    .join(', ')}}`;
}

function withNote(code: string, {defaultNote}: Option): string {
  return defaultNote === undefined ? code : `${code} (${defaultNote})`;
}

/** `(url, account) => boolean` for a type that is a function; undefined for any other. */
function callOf(type: string): string | undefined {
  const source = ts.createSourceFile('type.ts', `type Callback = ${type};`, ts.ScriptTarget.ES2022);
  const [statement] = source.statements;
  if (!statement || !ts.isTypeAliasDeclaration(statement) || !ts.isFunctionTypeNode(statement.type)) return undefined;
  const {parameters, type: result} = statement.type;
  const [returned = ''] = result.getText(source).split(' | Promise<');
  return `(${parameters.map(({name}) => name.getText(source)).join(', ')}) => ${returned}`;
}

/** A comment names a page by its path. */
function withPaths(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\(([\w-]+\.md[^)]*)\)/g, '$1 (docs/$2)');
}

function typeOf(option: Option): string {
  return types.get(option) ?? typeOfSchema(option.schema);
}

/** The types of options that their source says, as the type argument of a shape. The schema says the others. */
function typesIn(path: string, tables: Readonly<Record<string, Table>>): Array<readonly [Option, string]> {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2022, true);
  return source.statements.flatMap((statement) => {
    if (!ts.isVariableStatement(statement)) return [];
    const [declared] = statement.declarationList.declarations;
    const table = declared && tables[declared.name.getText()];
    return declared === undefined || table === undefined
      ? []
      : Object.entries(table).flatMap(([name, option]) => typeIn(declared, name, option));
  });
}

function typeIn(table: ts.Node, name: string, option: Option): Array<readonly [Option, string]> {
  const entry = find(table, (node) => ts.isPropertyAssignment(node) && node.name.getText() === name);
  const call = entry && find(entry, (node) => ts.isCallExpression(node) && node.typeArguments !== undefined);
  const [type] = (call as ts.CallExpression | undefined)?.typeArguments ?? [];
  return type === undefined ? [] : [[option, type.getText().replaceAll(/\s+/g, ' ')]];
}

function find(node: ts.Node, isWanted: (node: ts.Node) => boolean): ts.Node | undefined {
  return isWanted(node) ? node : ts.forEachChild(node, (child) => find(child, isWanted));
}
