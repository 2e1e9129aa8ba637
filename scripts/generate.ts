/**
 * Makes, as `npm run generate`:
 *
 * - src/dashboard/generated/files.ts from the files for browsers, and src/version.ts from package.json, so that a
 *   bundled server has them too;
 * - src/dashboard/generated/limits.ts, the bounds of what its forms take, and src/dashboard/generated/zh-hant.ts, its
 *   texts in traditional Chinese, from those in simplified Chinese;
 * - src/link/generated/fields.ts, the types of the fields of a link;
 * - src/shortener/generated/options.ts, src/link/generated/short-part-options.ts and src/dashboard/generated/options.ts, the
 *   types of the options;
 * - src/client/generated, the names and types of the calls of the client;
 * - docs/openapi.json, docs/openapi-get.json, docs/short-url.xsd and the lists of docs/api.md from the tables of
 *   operations and fields, the options in docs/reference.md and docs/dashboard.md, and the kinds of records in
 *   docs/architecture.md.
 */
import {readFileSync, writeFileSync} from 'node:fs';
import {pathToFileURL} from 'node:url';
import ts from 'typescript';
import {apiPage} from './api-page.ts';
import {clientNames, clientTypes} from './client-types.ts';
import {openApiFiles} from './description/openapi.ts';
import {xsdFile} from './description/xsd.ts';
import {fieldTypes} from './field-types.ts';
import {limitsOfForms} from './limits.ts';
import {optionFiles} from './options.ts';
import {architecturePage, dashboardPage, proofPage, referencePage} from './pages.ts';
import {traditionalTexts} from './traditional.js';

const assets = 'src/dashboard/assets';

/** In the order of the style sheet. */
const styles = ['base.css', 'page.css', 'forms.css', 'links.css', 'charts.css', 'api.css'];

const simplifiedChinese = 'src/dashboard/texts/zh-hans.ts';

const header = '/* Made by `npm run generate`. Do not edit. */\n';

/** The text of each generated file by its path. */
export function generatedFiles(): Map<string, string> {
  const texts = {
    styleSheet: styles.map((file) => styleSheet(readFileSync(`${assets}/${file}`, 'utf8'))).join('\n'),
    script: withoutComments(readFileSync(`${assets}/dashboard.js`, 'utf8')),
  };
  const constants = Object.entries(texts).map(([name, text]) => `export const ${name} = ${JSON.stringify(text)};\n`);
  const {version} = JSON.parse(readFileSync('package.json', 'utf8')) as {version: string};
  const [openApi, openApiByGet] = openApiFiles(version);
  return new Map([
    ['docs/api.md', apiPage()],
    ['docs/architecture.md', architecturePage()],
    ['docs/dashboard.md', dashboardPage()],
    ['docs/proof.md', proofPage()],
    ['docs/reference.md', referencePage()],
    ...optionFiles(),
    ['docs/openapi.json', openApi],
    ['docs/openapi-get.json', openApiByGet],
    ['docs/short-url.xsd', xsdFile()],
    ['src/link/generated/fields.ts', fieldTypes()],
    ['src/client/generated/names.ts', clientNames()],
    ['src/client/generated/calls.ts', clientTypes()],
    ['src/version.ts', `${header}export const version = '${version}';\n`],
    ['src/dashboard/generated/limits.ts', header + limitsOfForms()],
    ['src/dashboard/generated/zh-hant.ts', header + traditionalTexts(readFileSync(simplifiedChinese, 'utf8'))],
    ['src/dashboard/generated/files.ts', header + constants.join('')],
  ]);
}

export function withoutComments(program: string): string {
  const compilerOptions = {target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, removeComments: true};
  return ts.transpileModule(program, {compilerOptions}).outputText;
}

/** Without comments. Important declarations in a cascade layer win over all rules outside it, so over all of the host. */
function styleSheet(sheet: string): string {
  return sheet.replaceAll(/\/\*.*?\*\/\s*/gs, '').replaceAll(/:([^;{}]+);/g, ':$1 !important;');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const [path, text] of generatedFiles()) writeFileSync(path, text);
}
