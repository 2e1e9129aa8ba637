import {readFileSync} from 'node:fs';
import {errors} from '../src/host/errors.ts';
import {withBounds} from '../src/http/api/operation.ts';
import {operations} from '../src/http/api/operations.ts';
import type {Shape} from '../src/link/shapes.ts';
import {withPart} from './pages.ts';

/** Where a parameter is told in full. */
const pages: Readonly<Record<string, string>> = {
  custom_url: '[Short parts](links.md#short-parts)',
  expiry_date: '[Dates](#dates)',
  start_date: '[Dates](#dates)',
  rules: '[Rules](links.md#send-visitors-to-different-pages)',
  preview_title: '[Cards](links.md#cards)',
  reference: '[References](links.md#references)',
  reuse: '[Reuse](links.md#reuse-a-link)',
  scope: '[Keys](reference.md#keys)',
  via: '[Another domain or server](conversions.md#a-shop-on-another-domain-or-server)',
};

/** The text of `docs/api.md` with the lists of parameters and errors that the tables have. */
export function apiPage(): string {
  const page = readFileSync('docs/api.md', 'utf8');
  return withPart(withPart(page, 'parameters', parameterList()), 'errors', errorList());
}

function parameterList(): string {
  // A parameter that several operations have is told once, unless it looks different.
  const told = new Map<string, Map<Shape, string>>();
  for (const {parameters} of operations.values()) {
    for (const [name, {sentence, shape}] of Object.entries(parameters)) {
      const sentences = told.get(name) ?? new Map<Shape, string>();
      told.set(name, sentences);
      const bounds = shape.schema.enum === undefined ? shape.bounds : '';
      if (!sentences.has(shape)) sentences.set(shape, withBounds(sentence, bounds));
    }
  }
  const lines = Array.from(told, ([name, sentences]) => {
    const more = pages[name];
    return `- \`${name}\`: ${[...sentences.values()].join(' Or: ')}${more === undefined ? '' : ` ${more}.`}`;
  });
  return `${lines.join('\n')}\n`;
}

function errorList(): string {
  return Object.entries(errors)
    .map(([code, {status, sentence}]) => `- ${status} \`${code}\`: ${sentence}\n`)
    .join('');
}
