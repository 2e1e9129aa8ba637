import {readFileSync} from 'node:fs';
import {errors} from '../src/errors.ts';
import type {AnswerField, AnswerFields} from '../src/http/api/answer-fields.ts';
import {type Operation, withBounds} from '../src/http/api/operation.ts';
import {operations} from '../src/http/api/operations.ts';
import {fullRecord, shortRecord} from '../src/http/api/records.ts';
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
  const parts = {
    operations: operationList(),
    parameters: parameterList(),
    records: recordList(),
    errors: errorList(),
  };
  return Object.entries(parts).reduce((text, [name, part]) => withPart(text, name, part), page);
}

function operationList(): string {
  return Array.from(operations, ([name, operation]) => `- \`${name}\`: ${operationText(operation)}\n`).join('');
}

function operationText({summary, parameters, oneOf = [], scope, errors = [], answer}: Operation): string {
  const entries = Object.entries(parameters).filter(([name]) => !oneOf.includes(name));
  const named = (isRequired: boolean) =>
    entries.flatMap(([name, parameter]) => (Boolean(parameter.isRequired) === isRequired ? [`\`${name}\``] : []));
  const [required, optional] = [named(true), named(false)];
  const given = [
    ...(required.length > 0 ? [required.join(', ')] : []),
    ...(oneOf.length > 0 ? [oneOf.map((name) => `\`${name}\``).join(' or ')] : []),
    ...(optional.length > 0 ? [`optional ${optional.join(', ')}`] : []),
  ];
  const told = [
    `${summary}.`,
    ...(given.length > 0 ? [`Parameters: ${given.join('; ')}.`] : []),
    `Answer: ${'data' in answer ? fieldsText(answer.data) : 'the picture itself'}.`,
    ...(errors.length > 0 ? [`Errors: ${errors.map((code) => `\`${code}\``).join(', ')}.`] : []),
    `Scope: \`${scope}\`.`,
  ];
  return told.join(' ');
}

/** The fields of an object, of which those of a record are told once. */
function fieldsText(fields: AnswerFields): string {
  const records = [
    [fullRecord, 'a full record'],
    [shortRecord, 'a short record'],
  ] as const;
  const [record, whole] = records.find(([each]) => Object.keys(each).every((name) => name in fields)) ?? [{}, ''];
  const others = Object.entries(fields).filter(([name]) => !(name in record));
  return [...(whole === '' ? [] : [whole]), ...others.map(([name, field]) => `\`${name}\`${within(field)}`)].join(', ');
}

/** What is in a field that is an object or a list of objects, unless another page has it in full. */
function within(field: AnswerField): string {
  if ('shape' in field) return '';
  if ('lists' in field) return ` (by name, each: ${fieldsText(field.lists)})`;
  if ('object' in field) {
    return ` (${field.object.map(fieldsText).join(', or ')}${field.isNullable ? ', or null' : ''})`;
  }
  return ` (each: ${field.rows.map(fieldsText).join(', or ')})`;
}

function recordList(): string {
  const ofShort = Object.entries(shortRecord).map(([name, {sentence}]) => `- \`${name}\`: ${sentence}\n`);
  const others = Object.keys(fullRecord).filter((name) => !(name in shortRecord));
  const names = others.map((name) => `\`${name}\``).join(', ');
  return `A short record has:\n\n${ofShort.join('')}\nA full record also has ${names}.\n`;
}

function parameterList(): string {
  // A parameter that several operations have is told once, unless it looks different.
  const told = new Map<string, Map<string, string>>();
  for (const {parameters} of operations.values()) {
    for (const [name, {sentence, shape}] of Object.entries(parameters)) {
      const sentences = told.get(name) ?? new Map<string, string>();
      told.set(name, sentences);
      const bounds = shape.schema.enum === undefined ? shape.bounds : '';
      if (!sentences.has(sentence)) sentences.set(sentence, withBounds(sentence, bounds));
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
