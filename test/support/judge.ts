import {Ajv2020, type ValidateFunction} from 'ajv/dist/2020.js';
import {follow, openApi, type Operation, type Response, type Schema, schemaOf} from './description.ts';
import {readXml} from './documents.ts';
import {understand, visitBy} from './judge-call.ts';
import {judgeXml, toJson} from './judge-xml.ts';
import type {Ask, Reply} from './request.ts';

const ajv = new Ajv2020({allErrors: true, allowUnionTypes: true, validateFormats: false});
// Keywords that OpenAPI adds to JSON Schema.
ajv.addVocabulary(['xml', 'components']);
const components = {schemas: openApi.components.schemas};
ajv.addSchema({components}, 'openapi.json');
const validators = new Map<Schema, ValidateFunction>();

/**
 * Checks a value against a schema of the description.
 *
 * @throws Error that says what is wrong with the value
 */
export function judgeValue(value: unknown, schema: Schema): void {
  let validate = validators.get(schema);
  if (validate === undefined) {
    validate = ajv.compile(schema.$ref === undefined ? {...schema, components} : {$ref: `openapi.json${schema.$ref}`});
    validators.set(schema, validate);
  }
  if (!validate(value)) throw new Error(ajv.errorsText(validate.errors, {separator: '\n'}));
  judgeOrder(value, schema);
}

/** Checks that the fields have the order of the description. */
function judgeOrder(value: unknown, reference: Schema): void {
  const {properties, additionalProperties, items} = follow<Schema>(reference);
  if (Array.isArray(value)) for (const item of value.slice(0, 10)) judgeOrder(item, items ?? {});
  else if (typeof value !== 'object' || value === null) return;
  else if (additionalProperties) for (const each of Object.values(value)) judgeOrder(each, additionalProperties);
  else if (properties !== undefined) {
    const names = Object.keys(value);
    const expected = Object.keys(properties).filter((name) => names.includes(name));
    if (names.join() !== expected.join()) throw new Error(`The fields ${names.join()} are not in order`);
    for (const name of names) judgeOrder((value as Record<string, unknown>)[name], properties[name] ?? {});
  }
}

/**
 * Checks an answer of the site against the description: every answer of the API, and those to visits unless the host
 * answered.
 *
 * @param base the path prefix of the site
 * @throws Error that says what is wrong with the answer
 */
export async function judgeAnswer(ask: Ask, base: string, reply: Reply): Promise<void> {
  const call = understand(ask, base);
  const visit = call === undefined && isOfTheShortener(reply) ? visitBy(ask.method ?? 'GET') : undefined;
  try {
    if (call !== undefined) {
      const response = responseOf(call.responses, reply);
      judgeHeaders(reply, response);
      await judgeBody(ask, reply, response, [call.type]);
      if (reply.status === 200) {
        for (const [{schema}, value] of call.given) {
          const decoded = decodeURIComponent(value);
          judgeValue(schema.type === 'integer' ? Number(decoded) : decoded, schema);
        }
      }
    } else if (visit !== undefined) {
      const response = responseOf(visit.responses, reply);
      judgeHeaders(reply, response);
      await judgeBody(ask, reply, response, Object.keys(response.content ?? {}));
    }
  } catch (cause) {
    const name = call?.name ?? visit?.operationId ?? '';
    const answer = `${reply.status} ${JSON.stringify(reply.headers)} ${reply.text.slice(0, 2000)}`;
    throw new Error(`The answer to ${name} is not as described: ${String(cause)}\n${answer}`, {cause});
  }
}

/** The host's own pages have no X-Robots-Tag, and its redirects no Cache-Control. */
function isOfTheShortener({headers}: Reply): boolean {
  return headers['x-robots-tag'] !== undefined || headers['cache-control'] === 'private, no-store';
}

function responseOf(responses: Operation['responses'], {status}: Reply): Response {
  const response = responses[String(status)];
  if (response === undefined) throw new Error(`It does not have the status ${status}`);
  return follow<Response>(response);
}

/** Headers that are required with some answers, and wrong with all others. */
const telling = ['allow', 'location', 'retry-after', 'www-authenticate'];

function judgeHeaders({headers}: Reply, {headers: described = {}}: Response): void {
  for (const [name, reference] of Object.entries(described)) {
    const {schema} = follow(reference);
    const value = headers[name.toLowerCase()];
    try {
      judgeValue(schema.type === 'integer' ? Number(value) : value, schema);
    } catch (cause) {
      throw new Error(`The header ${name}: ${String(cause)}`, {cause});
    }
  }
  const names = new Set(Object.keys(described).map((name) => name.toLowerCase()));
  const foreign = telling.filter((name) => headers[name] !== undefined && !names.has(name));
  if (foreign.length > 0) throw new Error(`It has the headers ${foreign.join()}`);
}

/** @param types the content types that the answer may have */
async function judgeBody(ask: Ask, reply: Reply, {content}: Response, types: readonly string[]): Promise<void> {
  if (ask.method === 'HEAD' || content === undefined) {
    if (reply.text !== '') throw new Error('It has a body');
    return;
  }
  const given = reply.headers['content-type'] ?? '';
  const isPicture = given.startsWith('image/');
  const type = isPicture ? given : types.find((each) => given === `${each}; charset=utf-8`);
  // XML has the structure of the JSON, which alone is described.
  const media = type === undefined ? undefined : content[type === 'application/xml' ? 'application/json' : type];
  if (media === undefined) throw new Error('It is not in the format that was asked for');
  if (isPicture) return;
  const schema = schemaOf({content});
  if (type === 'application/xml') {
    await judgeXml(reply.text);
    judgeValue(toJson(readXml(reply.text), schema), schema);
  } else if (type === 'application/json') {
    judgeValue(JSON.parse(reply.text), schema);
  }
}
