import type {AnswerField, AnswerFields} from '../src/http/api/answer-fields.ts';
import {objectOf, type Operation, type Parameter, type ParameterTable, withBounds} from '../src/http/api/operation.ts';
import {operations} from '../src/http/api/operations.ts';
import {fullRecord, shortRecord} from '../src/http/api/records.ts';
import type {Schema} from '../src/values/shape.ts';
import {dateTime} from './description/envelope.ts';
import {pascal, singular} from './description/schemas.ts';
import {declaration, member} from './field-types.ts';

const header = '/* Made by `npm run generate` from the tables of operations. Do not edit. */\n';

/** The name of a method: `listUrls` for `list_urls`. */
function camel(name: string): string {
  const whole = pascal(name);
  return whole.charAt(0).toLowerCase() + whole.slice(1);
}

/** The text of `src/client/generated/names.ts`: the operations by the names of their methods. */
export function clientNames(): string {
  const pairs = [...operations.keys()].map((name) => `  ${camel(name)}: '${name}',\n`);
  return `${header}export const names = {\n${pairs.join('')}} as const;\n`;
}

/** The text of `src/client/generated/calls.ts`: the type of a client, with the parameters and answers of its calls. */
export function clientTypes(): string {
  const types = new Types();
  const methods = [...operations].map(([name, operation]) => types.method(name, operation));
  return [
    header + "import type {CallOptions} from '../options.ts';\n",
    declaration('A client of the API, with a method for each operation.', 'Client', methods),
    ...types.declarations.values(),
  ].join('\n');
}

class Types {
  readonly declarations = new Map<string, string>();
  /** The names of objects that several operations have. */
  readonly #names = new Map<AnswerFields | string, string>();
  /** The operation whose types are made, which begins the names of its items; empty for records. */
  #owner = '';

  constructor() {
    this.#declare('ShortRecord', 'The main fields of a link.', this.#answerMembers([shortRecord]));
    this.#declare('FullRecord', 'All fields of a link.', this.#answerMembers([fullRecord]));
    this.#names.set(shortRecord, 'ShortRecord').set(fullRecord, 'FullRecord');
  }

  #declare(name: string, sentence: string, members: readonly string[]): void {
    if (this.declarations.has(name)) throw new Error(`Two types have the name ${name}`);
    this.declarations.set(name, declaration(sentence, name, members));
  }

  method(name: string, {summary, description, parameters, oneOf, answer}: Operation): string {
    const whole = pascal(name);
    this.#owner = whole;
    const isEmpty = Object.keys(parameters).length === 0;
    const isRequired = oneOf !== undefined || Object.values(parameters).some((each) => each.isRequired);
    if (!isEmpty) this.#declareParameters(`${whole}Parameters`, summary, parameters);
    const given = isEmpty ? 'Readonly<Record<string, never>>' : `${whole}Parameters`;
    if ('data' in answer) {
      const data = {...answer.data, date_time: dateTime};
      this.#declare(`${whole}Answer`, answer.sentence, this.#answerMembers([data]));
    }
    const result = 'data' in answer ? `${whole}Answer` : 'Blob';
    const type = `(parameters${isRequired ? '' : '?'}: ${given}, options?: CallOptions) => Promise<${result}>`;
    return member(description, camel(name), type);
  }

  #declareParameters(name: string, summary: string, parameters: ParameterTable): void {
    this.#names.set(JSON.stringify(objectOf(parameters)), name);
    const members = Object.entries(parameters).map(
      ([key, {shape, sentence, isRequired, isNullable}]: [string, Parameter]) =>
        member(
          withBounds(sentence, shape.bounds),
          `${key}${isRequired ? '' : '?'}`,
          this.#given(key, shape.schema) + (isNullable ? ' | null' : '') + (isRequired ? '' : ' | undefined'),
        ),
    );
    this.#declare(name, `The parameters of a call: ${summary.charAt(0).toLowerCase()}${summary.slice(1)}.`, members);
  }

  /** The type of a value in a JSON object, by the name of its parameter. */
  #given(name: string, schema: Schema): string {
    const {type, enum: words, items} = schema;
    if (words !== undefined) return words.map((word) => `'${word}'`).join(' | ');
    if (items !== undefined) {
      const item = this.#given(singular(name), items);
      return item.includes(' ') ? `ReadonlyArray<${item}>` : `readonly ${item}[]`;
    }
    if (typeof type === 'object') return `${this.#given(name, {...schema, type: type[0]})} | null`;
    if (type === 'object') return this.#object(name, schema);
    return type === 'integer' ? 'number' : String(type);
  }

  #object(name: string, schema: Schema): string {
    const {properties = {}, required = []} = schema;
    // A list of changes describes what may be null with other words.
    const key = schema.title ?? JSON.stringify(schema);
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const own = this.#owner + pascal(name);
    this.#names.set(key, own);
    const members = Object.entries(properties).map(([each, property]) => {
      const isRequired = required.includes(each);
      const type = this.#given(each, property) + (isRequired ? '' : ' | undefined');
      return member(property.description ?? '', `${each}${isRequired ? '' : '?'}`, type);
    });
    this.#declare(own, schema.description ?? 'An item of a list.', members);
    return own;
  }

  /** @param alternatives an object has the fields of one of them */
  #answerMembers(alternatives: readonly AnswerFields[]): string[] {
    const names = [...new Set(alternatives.flatMap((fields) => Object.keys(fields)))];
    return names.map((name) => {
      const fields = alternatives.flatMap((each) => each[name] ?? []);
      const [field] = fields;
      if (field === undefined) return '';
      const isOptional = fields.length < alternatives.length || field.isOptional === true;
      const types = [...new Set(fields.map((each) => this.#answered(name, each)))];
      const type = types.join(' | ') + (isOptional ? ' | undefined' : '');
      return member(field.sentence, `${name}${isOptional ? '?' : ''}`, type);
    });
  }

  #answered(name: string, field: AnswerField): string {
    if ('shape' in field) return this.#given(name, field.shape.schema) + (field.isNullable ? ' | null' : '');
    if ('object' in field) return this.#fields(name, field.object) + (field.isNullable ? ' | null' : '');
    if ('rows' in field) return `readonly ${this.#fields(singular(name), field.rows)}[]`;
    return `Readonly<Record<string, readonly ${this.#fields(singular(name), [field.lists])}[]>>`;
  }

  #fields(name: string, alternatives: readonly AnswerFields[]): string {
    const [first, ...others] = alternatives.map((each) => this.#names.get(each));
    if (first !== undefined && others.length === 0) return first;
    const key = JSON.stringify(alternatives);
    const own = this.#names.get(key) ?? this.#owner + pascal(name);
    if (this.#names.has(key)) return own;
    this.#names.set(key, own);
    this.#declare(own, 'An item of an answer.', this.#answerMembers(alternatives));
    return own;
  }
}
