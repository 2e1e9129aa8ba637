import {readFileSync} from 'node:fs';
import {dashboardOptions} from '../src/dashboard/settings.ts';
import {attributionOptions} from '../src/shortener/attribution-options.ts';
import {shortUrlOptions} from '../src/shortener/options.ts';
import {shortPartOptions} from '../src/link/short-part.ts';
import {kinds} from '../src/tools/kinds.ts';
import {bugs, kinds as kindsOfBugs} from '../test/planted/bugs.ts';
import {found} from '../test/planted/found.ts';
import {optionList, optionText} from './options.ts';

/** Replaces what stands between two comments of a page. */
export function withPart(page: string, name: string, text: string): string {
  const [start, end] = [`<!-- ${name}: made by \`npm run generate\` -->\n`, `<!-- end of ${name} -->`];
  const [before = '', rest = ''] = page.split(start);
  const after = rest.slice(rest.indexOf(end));
  if (!after.startsWith(end)) throw new Error(`There is no part for ${name}`);
  return `${before}${start}\n${text}\n${after}`;
}

/** The text of `docs/reference.md`, where the paragraph on each option, below its question, is made from the table. */
export function referencePage(): string {
  const page = readFileSync('docs/reference.md', 'utf8');
  const start = page.indexOf('\n## Options\n');
  let part = page.slice(start);
  for (const [name, option] of Object.entries(shortUrlOptions)) {
    const paragraph = new RegExp(`(?<=\n### ${name}\n\n_.*\n\n).*`);
    if (!paragraph.test(part)) throw new Error(`docs/reference.md has no section for ${name}`);
    part = part.replace(paragraph, () => optionText(option));
  }
  part = withPart(part, 'options of shortParts', optionList(shortPartOptions));
  return page.slice(0, start) + withPart(part, 'options of attribution', optionList(attributionOptions));
}

/** The text of `docs/dashboard.md` with the list of its options. */
export function dashboardPage(): string {
  return withPart(readFileSync('docs/dashboard.md', 'utf8'), 'options', optionList(dashboardOptions));
}

/** The text of `docs/architecture.md` with the list of the kinds of records. */
export function architecturePage(): string {
  const lines = kinds.map(({keys, content, expires}) => {
    const shown = keys.map((key) => `\`${key}\``).join(', ');
    return `- ${shown}: ${content}${expires === undefined ? '' : `; expires ${expires}`}\n`;
  });
  return withPart(readFileSync('docs/architecture.md', 'utf8'), 'kinds', lines.join(''));
}

/** The text of `docs/proof.md` with the planted bugs by kind, and how each was found when this was last tried. */
export function proofPage(): string {
  const lastFound = found();
  const parts = Object.entries(kindsOfBugs).map(([kind, title]) => {
    const rows = Object.entries(bugs)
      .filter(([, [, , own]]) => own === kind)
      .map(([name, [bug, by]]) => {
        const last = lastFound[name];
        const when = last?.by === by ? [`${last.seconds} s`, last.commit] : ['', ''];
        return [`\`${name}\`: ${bug}`, by.replace(/^worlds/, 'random worlds').replace(/^test\//, ''), ...when];
      });
    return `### ${title}\n\n${table(['bug', 'found by', 'CPU time', 'at'], rows)}`;
  });
  return withPart(readFileSync('docs/proof.md', 'utf8'), 'planted', parts.join('\n'));
}

/** A table in Markdown, whose columns are as wide as their widest cell. */
function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const widths = head.map((_, index) => Math.max(3, ...[head, ...rows].map((row) => row[index]?.length ?? 0)));
  const rule = widths.map((width) => '-'.repeat(width));
  return [head, rule, ...rows]
    .map((row) => `| ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |\n`)
    .join('');
}
