import {type Schema, follow, xsd} from './description.ts';
import type {XmlElement} from './documents.ts';
import {byName} from './xml.ts';

type Validate = (document: string) => void;

let validating: Promise<Validate> | undefined;

/** Loaded when needed, because it is WebAssembly and slow to start. */
async function load(): Promise<Validate> {
  const {XmlDocument, XsdValidator} = await import('libxml2-wasm');
  const validator = XsdValidator.fromDoc(XmlDocument.fromString(xsd));
  return (text) => {
    const document = XmlDocument.fromString(text);
    try {
      validator.validate(document);
    } finally {
      document.dispose();
    }
  };
}

/**
 * Checks a document against the schema in `short-url.xsd`, with libxml2.
 *
 * @throws Error if it is not well-formed or not valid
 */
export async function judgeXml(document: string): Promise<void> {
  const validate = await (validating ??= load());
  validate(document);
}

/** A document as the JSON of its schema. Values that do not fit the schema stay text. */
export function toJson({name, text, children}: XmlElement, reference: Schema): unknown {
  const schema = follow(reference);
  const types = [schema.type ?? []].flat();
  if (types.includes('null') && text === '' && children.length === 0) return null;
  const {additionalProperties: list} = schema;
  if (types.includes('object') && list) {
    return byName(children.map((child) => toJson(child, rowOf(list))) as Array<{name: string}>);
  }
  if (types.includes('object')) {
    return Object.fromEntries(
      children.map((child) => [child.name, toJson(child, schema.properties?.[child.name] ?? {type: 'string'})]),
    );
  }
  if (types.includes('array')) {
    return children.map((child) => {
      if (`${child.name}s` !== name) throw new Error(`The element ${name} holds an element ${child.name}`);
      return toJson(child, schema.items ?? {});
    });
  }
  if (children.length > 0) throw new Error(`The element ${name} holds elements`);
  if (types.includes('integer') && /^\d+$/.test(text)) return Number(text);
  if (types.includes('boolean') && /^(true|false)$/.test(text)) return text === 'true';
  return text;
}

/** In XML an object of lists is one list of rows that begin with the name. */
function rowOf(list: Schema): Schema {
  const {properties} = follow<Schema>(list).items ?? {};
  return {type: 'object', properties: {name: {type: 'string'}, ...properties}};
}
