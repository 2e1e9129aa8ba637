import type {AnswerField, AnswerFields, ValueField} from '../../src/http/api/answer-fields.ts';
import {orNull, withBounds} from '../../src/http/api/operation.ts';
import {fullRecord, shortRecord} from '../../src/http/api/records.ts';
import type {ValueSchema} from '../../src/values/shape.ts';

/** A part of an OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>;

/** `CreateMany` for `create_many` and `createMany`. */
export function pascal(name: string): string {
  return name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The name of an item of a list in XML. */
export function singular(name: string): string {
  return name.slice(0, -1);
}

/**
 * The schemas of answers. A field that several answers have, and an object that several lists have, is a component, so that
 * a client gets one type for it.
 */
export class Schemas {
  readonly components: Record<string, Json> = {};
  readonly #uses = new Map<AnswerField, number>();
  readonly #names = new Map<AnswerField, string>();
  readonly #records: ReadonlyMap<AnswerFields, string> = new Map([
    [fullRecord, 'FullRecord'],
    [shortRecord, 'ShortRecord'],
  ]);

  /** @param answers all answers, which decide what is shared */
  constructor(answers: readonly AnswerFields[]) {
    for (const answer of answers) this.#count(answer);
  }

  #count(fields: AnswerFields): void {
    for (const field of Object.values(fields)) {
      this.#uses.set(field, (this.#uses.get(field) ?? 0) + 1);
      for (const inner of innerFields(field)) this.#count(inner);
    }
  }

  /** A reference to a component, which is added if it is new. */
  component(name: string, schema: () => Json): Json {
    this.components[name] ??= schema();
    return {$ref: `#/components/schemas/${name}`};
  }

  /** The schema of an object with the fields of one of the alternatives. */
  object(alternatives: readonly AnswerFields[], xmlName?: string): Json {
    const [only] = alternatives;
    const record = alternatives.length === 1 && only !== undefined ? this.#records.get(only) : undefined;
    const own = (): Json => this.#ownObject(alternatives, record === undefined ? xmlName : undefined);
    return record === undefined ? own() : this.component(record, own);
  }

  #ownObject(alternatives: readonly AnswerFields[], xmlName?: string): Json {
    const names = [...new Set(alternatives.flatMap((fields) => Object.keys(fields)))];
    const needed = alternatives.map((fields) => names.filter((name) => fields[name] && !fields[name].isOptional));
    const required = names.filter((name) => needed.every((each) => each.includes(name)));
    return {
      type: 'object',
      ...(xmlName !== undefined && {xml: {name: xmlName}}),
      properties: Object.fromEntries(
        names.map((name) => [
          name,
          this.#property(
            name,
            alternatives.flatMap((fields) => fields[name] ?? []),
          ),
        ]),
      ),
      ...(required.length > 0 ? {required} : {oneOf: needed.map((each) => ({required: each}))}),
      additionalProperties: false,
    };
  }

  #property(name: string, fields: readonly AnswerField[]): Json {
    const [field, other] = fields;
    if (field === undefined) return {};
    if (other !== undefined) return merged(field, other);
    const isShared = (this.#uses.get(field) ?? 0) > 1 && 'shape' in field;
    const component = pascal(name);
    const taken = [...this.#names].find(([, each]) => each === component)?.[0];
    if (!isShared || (taken !== undefined && taken !== field)) return this.#schema(name, field);
    this.#names.set(field, component);
    return this.component(component, () => this.#schema(name, field));
  }

  #schema(name: string, field: AnswerField): Json {
    const description = field.sentence;
    if ('shape' in field) return valueSchema(name, field);
    if ('object' in field) {
      const object = this.object(field.object);
      if (field.isNullable !== true) return '$ref' in object ? object : {description, ...object};
      return {description, ...object, type: ['object', 'null']};
    }
    if ('rows' in field) {
      const {min, max} = field;
      const bounds = {...(min !== undefined && {minItems: min}), ...(max !== undefined && {maxItems: max})};
      const items = this.object(field.rows, singular(name));
      return {description, type: 'array', items, ...bounds, xml: {wrapped: true}};
    }
    const items = this.object([field.lists], singular(name));
    return {
      description,
      type: 'object',
      propertyNames: {pattern: field.name.schema.pattern},
      additionalProperties: {type: 'array', minItems: 1, items},
      xml: {wrapped: true},
    };
  }
}

function innerFields(field: AnswerField): readonly AnswerFields[] {
  if ('rows' in field) return field.rows;
  if ('object' in field) return field.object;
  return 'lists' in field ? [field.lists] : [];
}

function valueSchema(name: string, {sentence, shape, isNullable, example}: ValueField): Json {
  const {schema, bounds} = shape;
  const described = {
    description: schema.enum === undefined ? withBounds(sentence, bounds) : sentence,
    ...(isNullable ? orNull(schema) : ofOne(schema)),
  };
  // In XML a list is an element with elements of the singular name.
  const {items} = schema;
  const xml = items && {xml: {wrapped: true}, items: {...items, xml: {name: singular(name)}}};
  const isSaid = schema.enum !== undefined || schema.type === 'boolean';
  return {...described, ...xml, ...(!isSaid && {examples: isNullable ? [example, null] : [example]})};
}

/** One word is a constant. */
function ofOne({enum: words, ...schema}: ValueSchema): Json {
  if (words === undefined) return schema;
  return words.length === 1 ? {...schema, const: words[0]} : {...schema, enum: words};
}

/** A field of which two alternatives differ: one of the words of either. */
function merged(one: AnswerField, other: AnswerField): Json {
  if (one === other) return 'shape' in one ? valueSchema('', one) : {};
  const words = [one, other].flatMap((field) => ('shape' in field ? (field.shape.schema.enum ?? []) : []));
  return {description: one.sentence, type: 'string', enum: [...new Set(words)]};
}

/** An answer as an example. `isBare` leaves out what may be left out. */
export function exampleOf(fields: AnswerFields, isBare: boolean): Record<string, unknown> {
  const given = Object.entries(fields).filter(([, {isOptional}]) => !(isBare && isOptional));
  return Object.fromEntries(given.map(([name, field]) => [name, exampleValue(field, isBare)]));
}

function exampleValue(field: AnswerField, isBare: boolean): unknown {
  if ('shape' in field) {
    if (isBare && field.isNullable) return null;
    return isBare && field.shape.schema.type === 'array' ? [] : field.example;
  }
  if ('object' in field) {
    return isBare && field.isNullable ? null : exampleOf(field.object[0] ?? {}, isBare);
  }
  if ('rows' in field) {
    return isBare && field.min === undefined ? [] : field.rows.map((row) => exampleOf(row, isBare));
  }
  return isBare ? {} : {[field.example]: [exampleOf(field.lists, isBare)]};
}
