import {errors} from '../../src/errors.ts';
import type {AnswerField, AnswerFields} from '../../src/http/api/answer-fields.ts';
import {errorFields} from '../../src/http/api/errors.ts';
import {operations} from '../../src/http/api/operations.ts';
import {choice, type Schema, type Shape} from '../../src/values/shape.ts';
import {dateTime} from './envelope.ts';
import {pascal, singular} from './schemas.ts';

/** An element in a sequence. */
interface Place {
  readonly name: string;
  readonly isOptional: boolean;
}

const start = `<?xml version="1.0" encoding="UTF-8"?>
<!-- Made by \`npm run generate\`. The XML answers of the API: of every operation, and its errors. XML Schema 1.0, no namespace. -->
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified">`;

/** Types by their names. Elements of one name in one place have one type, as XML Schema demands. */
class Types {
  readonly #texts = new Map<string, string>();
  readonly #sentences = new Map<string, string>();

  /** The name of a type. Equal types of one name are one, and keep the first sentence. */
  #named(name: string, text: string, sentence = ''): string {
    let free = name;
    for (let number = 2; ![undefined, text].includes(this.#texts.get(free)); number += 1) free = name + String(number);
    if (!this.#texts.has(free)) this.#sentences.set(free, sentence);
    this.#texts.set(free, text);
    return free;
  }

  /** All of them. */
  write(): string {
    const written = Array.from(this.#texts, ([name, text]) => {
      const sentence = this.#sentences.get(name) ?? '';
      const note = `<xs:annotation><xs:documentation>${escaped(sentence)}</xs:documentation></xs:annotation>`;
      return text.replace('>', ` name="${name}">${sentence === '' ? '' : note}`);
    });
    return written.join('');
  }

  /** The type of an element with the fields of one of the alternatives. */
  object(name: string, alternatives: readonly AnswerFields[], isNullable = false): string {
    const names = [...new Set(alternatives.flatMap((fields) => Object.keys(fields)))];
    const types = new Map(
      names.map((each) => [
        each,
        this.#type(
          each,
          alternatives.flatMap((fields) => fields[each] ?? []),
        ),
      ]),
    );
    const sequences = alternatives.map((fields) =>
      Object.entries(fields).map(([each, {isOptional}]): Place => ({name: each, isOptional: isOptional === true})),
    );
    const unique = new Map(sequences.map((places) => [JSON.stringify(places), places]));
    const content = model([...unique.values(), ...(isNullable ? [[]] : [])], types);
    return this.#named(pascal(name), `<xs:complexType>${content}</xs:complexType>`);
  }

  #type(name: string, fields: readonly AnswerField[]): string {
    const values = fields.flatMap((field) => ('shape' in field ? [field] : []));
    const [value] = values;
    if (value !== undefined) {
      const words = [...new Set(values.flatMap(({shape}) => shape.schema.enum ?? []))];
      const shape: Shape = words.length > 0 ? choice(words) : value.shape;
      return this.#schema(name, shape.schema, value);
    }
    const rows = fields.flatMap((field) => ('rows' in field ? field.rows : []));
    const [field] = fields;
    if (field !== undefined && 'lists' in field) {
      const row = {name: {sentence: '', shape: field.name, example: ''}, ...field.lists};
      return this.#list(name, this.object(singular(name), [row]), {});
    }
    if (field !== undefined && 'rows' in field) {
      return this.#list(name, this.object(singular(name), rows), {minItems: field.min, maxItems: field.max});
    }
    const objects = fields.flatMap((each) => ('object' in each ? [each] : []));
    const isNullable = objects.some((each) => each.isNullable);
    return this.object(
      name,
      objects.flatMap(({object}) => object),
      isNullable,
    );
  }

  #list(
    name: string,
    item: string,
    {minItems = 0, maxItems}: {minItems?: number | undefined; maxItems?: number | undefined},
  ): string {
    const element = `<xs:element name="${singular(name)}" type="${item}" minOccurs="${minItems}" maxOccurs="${maxItems ?? 'unbounded'}"/>`;
    return this.#named(pascal(name), `<xs:complexType><xs:sequence>${element}</xs:sequence></xs:complexType>`);
  }

  #schema(
    name: string,
    schema: Schema,
    {isNullable, sentence}: {isNullable?: boolean; sentence?: string} = {},
  ): string {
    const {items, properties, required = []} = schema;
    if (items !== undefined) return this.#list(name, this.#schema(singular(name), items), schema);
    if (properties !== undefined) {
      const elements = Object.entries(properties).map(
        ([each, inner]) =>
          `<xs:element name="${each}" type="${this.#schema(each, inner, {sentence: inner.description ?? ''})}"${required.includes(each) ? '' : ' minOccurs="0"'}/>`,
      );
      const sequence = `<xs:sequence${isNullable ? ' minOccurs="0"' : ''}>${elements.join('')}</xs:sequence>`;
      return this.#named(pascal(name), `<xs:complexType>${sequence}</xs:complexType>`);
    }
    if (!isNullable) {
      return this.#named(pascal(name), `<xs:simpleType>${restriction(schema)}</xs:simpleType>`, sentence);
    }
    const empty = '<xs:restriction base="xs:string"><xs:length value="0"/></xs:restriction>';
    const members = [restriction(schema), empty].map((each) => `<xs:simpleType>${each}</xs:simpleType>`);
    return this.#named(
      `${pascal(name)}OrNone`,
      `<xs:simpleType><xs:union>${members.join('')}</xs:union></xs:simpleType>`,
      sentence,
    );
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/**
 * The content of an element that has one of the sequences. What sequences begin with in common comes first, because a
 * schema must tell them apart element by element.
 */
function model(sequences: ReadonlyArray<readonly Place[]>, types: ReadonlyMap<string, string>): string {
  const [only] = sequences;
  if (sequences.length === 1 && only !== undefined) {
    return `<xs:sequence>${only.map((place) => elementOf(place, types)).join('')}</xs:sequence>`;
  }
  const expanded = sequences.flatMap(([first, ...rest]) => {
    if (first === undefined) return [[]];
    return first.isOptional ? [[{...first, isOptional: false}, ...rest], rest] : [[first, ...rest]];
  });
  const isOptional = expanded.some(({length}) => length === 0);
  const groups = new Map<string, Array<readonly Place[]>>();
  for (const [first, ...rest] of expanded) {
    if (first !== undefined) groups.set(first.name, [...(groups.get(first.name) ?? []), rest]);
  }
  const branches = Array.from(groups, ([name, rests]) => {
    const element = elementOf({name, isOptional: false}, types);
    const isEnd = rests.every(({length}) => length === 0);
    return `<xs:sequence>${element}${isEnd ? '' : model(rests, types)}</xs:sequence>`;
  });
  const [branch] = branches;
  const occurs = isOptional ? ' minOccurs="0"' : '';
  if (branches.length === 1 && branch !== undefined) return branch.replace('>', `${occurs}>`);
  return `<xs:choice${occurs}>${branches.join('')}</xs:choice>`;
}

function elementOf({name, isOptional}: Place, types: ReadonlyMap<string, string>): string {
  return `<xs:element name="${name}" type="${types.get(name) ?? ''}"${isOptional ? ' minOccurs="0"' : ''}/>`;
}

function restriction(schema: Schema): string {
  const facets: string[] = [];
  const add = (facet: string, value: number | string | undefined): void => {
    if (value !== undefined) facets.push(`<xs:${facet} value="${String(value)}"/>`);
  };
  for (const word of schema.enum ?? []) add('enumeration', word);
  if (schema.format === 'uri') add('pattern', String.raw`[A-Za-z][A-Za-z0-9+.\-]*:[^\s]([^\n\r\t]*[^\s])?`);
  add('minLength', schema.minLength);
  add('maxLength', schema.maxLength);
  add('minInclusive', schema.minimum);
  add('maxInclusive', schema.maximum);
  if (schema.pattern !== undefined) add('pattern', toXsdPattern(schema.pattern));
  if (schema.type === 'integer') add('pattern', String.raw`0|[1-9]\d*`);
  if (schema.type === 'boolean') add('pattern', 'true|false');
  const base = {integer: 'long', boolean: 'boolean'}[String(schema.type)] ?? 'string';
  return `<xs:restriction base="xs:${base}">${facets.join('')}</xs:restriction>`;
}

/** A pattern of XML Schema always matches the whole text, and its `\w` has letters of all scripts. */
function toXsdPattern(pattern: string): string {
  return pattern
    .replace(/^\^/, '')
    .replace(/\$$/, '')
    .replaceAll(String.raw`[\w-]`, String.raw`[A-Za-z0-9_\-]`)
    .replaceAll(/(?<=[\w])-\]/g, String.raw`\-]`);
}

/** The text of `docs/short-url.xsd`. */
export function xsdFile(): string {
  const inXml = Object.entries(errors).filter(([code]) => code !== 'unsupported_format');
  const statuses = [200, 413, 415, ...inXml.map(([, {status}]) => status)];
  const codes = [...new Set(statuses)].toSorted((one, other) => one - other).map(String);
  const answers = [...operations.values()].flatMap(({answer}) => ('data' in answer ? [answer.data] : []));
  const failure = errorFields(inXml.map(([code]) => code as keyof typeof errors));
  const types = new Types();
  const data = [failure, ...answers].map((fields) => ({...fields, date_time: dateTime}));
  const code = {sentence: 'The HTTP status.', shape: choice(codes), example: '200'};
  const root = types.object('response', [{code, data: {sentence: '', object: data}}]);
  return `${start}${indented(`<xs:element name="response" type="${root}"/>${types.write()}`)}\n</xs:schema>\n`;
}

/** XML with an element a line. */
function indented(xml: string): string {
  let depth = 1;
  const tokens = xml.match(/<[^>]+>[^<]*/g) ?? [];
  return tokens
    .map((token, index) => {
      if (token.startsWith('</')) depth -= 1;
      const isText = token.startsWith('<xs:documentation>') || tokens[index - 1]?.startsWith('<xs:documentation>');
      const line = isText && token.startsWith('</') ? token : `\n${'  '.repeat(depth)}${token}`;
      if (!token.startsWith('</') && !token.includes('/>')) depth += 1;
      return line;
    })
    .join('');
}
