import {withBounds} from '../src/http/api/operation.ts';
import {fieldNames, fields, givenNames} from '../src/link/fields.ts';
import {longUrl} from '../src/link/long-url.ts';
import {conditions, nameSentence} from '../src/link/rules.ts';
import {utmShape} from '../src/link/utm.ts';
import type {Schema, Shape} from '../src/values/shape.ts';

const width = 120;

/** The text of `src/link/generated/fields.ts`: the types of the fields of a link, whose comments editors show. */
export function fieldTypes(): string {
  const given = givenNames.map((name) => {
    const {shape, sentence} = fields[name];
    const optional = name === 'url' ? '' : '?';
    return member(sentenceOf(shape, sentence), `${name}${optional}`, `${typeOf(shape)}${optional && ' | undefined'}`);
  });
  const changed = fieldNames.flatMap((name) => {
    const {shape, sentence, update} = fields[name];
    if (update === 'never') return [];
    const none = update === undefined ? ' | null | undefined' : ' | undefined';
    return [member(sentenceOf(shape, sentence), `${name}?`, typeOf(shape) + none)];
  });
  const shown = fieldNames.flatMap((name) => {
    const {shape, sentence, shown: as, toLink} = fields[name];
    if (toLink === undefined) return [];
    const none = as?.isAlways ? '' : ' | null';
    const told = as?.sentence ?? (none === '' ? sentence : `${sentence} Null if there is none.`);
    return [member(told, name, typeOf(as?.shape ?? shape) + none)];
  });
  const rule = Object.entries(conditions).map(([name, {shape, sentence}]) =>
    member(sentence, `${name}?`, `${typeOf(shape)} | undefined`),
  );
  return [
    '/* Made by `npm run generate` from src/link/fields.ts, src/link/rules.ts and src/link/utm.ts. Do not edit. */',
    '',
    declaration('The fields of a link to create.', 'GivenFields', given),
    declaration('The fields of a link that a change can set. Null clears a field.', 'ChangedFields', changed),
    declaration('The fields of a link that its owner sets, as its owner sees them.', 'ShownFields', shown),
    declaration(
      'A rule for the destination of a link. It needs at least one condition, and applies to visitors who meet all of them (docs/links.md).',
      'Rule',
      [
        ...rule,
        member(nameSentence, 'name?', 'string | undefined'),
        member(`The long URL for these visitors. ${capital(longUrl.bounds)}.`, 'url', 'string'),
      ],
    ),
    declaration(
      'The campaign of a link, in the parameters of its destinations. It has at least one part (docs/links.md).',
      'Utm',
      Object.entries(utmShape.schema.properties ?? {}).map(([name, {description = ''}]) =>
        member(description, `${name}?`, 'string | undefined'),
      ),
    ),
  ].join('\n');
}

export function declaration(sentence: string, name: string, members: readonly string[]): string {
  return `${comment(sentence, '')}export interface ${name} {\n${members.join('')}}\n`;
}

export function member(sentence: string, name: string, type: string, tags: readonly string[] = []): string {
  return `${sentence === '' ? '' : comment(sentence, '  ', tags)}  readonly ${name}: ${type};\n`;
}

/** A doc comment, in lines of at most 120 characters. The lines of tags stay as they are. */
function comment(text: string, indent: string, tags: readonly string[] = []): string {
  if (tags.length === 0 && text.length + indent.length + 7 <= width) return `${indent}/** ${text} */\n`;
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line.length + word.length + indent.length + 4 > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  lines.push(...tags);
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

function sentenceOf(shape: Shape, sentence: string): string {
  const inCode = shape.holds(new Date(0)) ? ' In code also a `Date`.' : '';
  return withBounds(sentence, shape.bounds) + inCode;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function typeOf(shape: Shape): string {
  return typeOfSchema(shape.schema) + (shape.holds(new Date(0)) ? ' | Date' : '');
}

export function typeOfSchema({type, title, enum: words, items, properties = {}, required = []}: Schema): string {
  if (words !== undefined) return words.map((word) => (typeof word === 'string' ? `'${word}'` : word)).join(' | ');
  if (title !== undefined) return title;
  if (items !== undefined) return `readonly ${typeOfSchema(items)}[]`;
  if (type === 'object') {
    const members = Object.entries(properties).map(([name, schema]) => {
      const [optional, none] = required.includes(name) ? ['', ''] : ['?', ' | undefined'];
      return `readonly ${name}${optional}: ${typeOfSchema(schema)}${none}`;
    });
    return `{${members.join('; ')}}`;
  }
  return type === 'integer' ? 'number' : String(type);
}
