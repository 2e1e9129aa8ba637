import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';

/** Resolved by the name of the package, as users do. */
const {resolve} = createRequire(import.meta.url);
export const xsd = readFileSync(resolve('koa-short-url/short-url.xsd'), 'utf8');

export interface Reference {
  readonly $ref: string;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | false;
  readonly items?: Schema;
}

interface Media {
  /** Absent for XML, which the XSD describes. */
  readonly schema?: Schema;
  readonly examples?: Readonly<Record<string, {readonly value: unknown}>>;
}

export interface Header {
  readonly required: boolean;
  readonly schema: Schema;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'header';
  readonly description: string;
  readonly schema: Schema;
  readonly example: string | number;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly security?: ReadonlyArray<Readonly<Record<string, readonly string[]>>>;
  readonly parameters?: readonly Reference[];
  /** Of a POST of the API. */
  readonly requestBody?: {
    readonly content: Readonly<Record<'application/json', {readonly schema: Schema; readonly example: unknown}>>;
  };
  readonly responses: Readonly<Record<string, Reference>>;
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** Paths of the API that are not operations, each with its responses. */
  readonly 'x-other-calls': ReadonlyArray<Pick<Operation, 'summary' | 'responses'>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, object>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

/** The file that the dashboard serves. */
export const mainDescription = readDescription('openapi.json');
const byGet = readDescription('openapi-get.json');

/** Both files as one. The second refers to the first, and has none of its names. */
export const openApi: OpenApi = {
  ...mainDescription,
  paths: {...mainDescription.paths, ...byGet.paths},
  components: {
    ...mainDescription.components,
    parameters: {...mainDescription.components.parameters, ...byGet.components.parameters},
    responses: {...mainDescription.components.responses, ...byGet.components.responses},
    schemas: {...mainDescription.components.schemas, ...byGet.components.schemas},
  },
};

function readDescription(name: string): OpenApi {
  const text = readFileSync(resolve(`koa-short-url/${name}`), 'utf8');
  return JSON.parse(text.replaceAll('"openapi.json#/', '"#/')) as OpenApi;
}

export const operations: ReadonlyMap<string, Operation> = new Map(
  Object.values(openApi.paths).flatMap((item) => Object.values(item).map((each) => [each.operationId, each] as const)),
);

/** The target of a reference in the description; any other value unchanged. */
export function follow<Value extends object>(value: Value | Reference): Value {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as Value;
  const steps = value.$ref.split('/').slice(1);
  const found = steps.reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], openApi);
  return follow(found as Value | Reference);
}

/** The schema of the answers in JSON, and of what those in XML say. */
export function schemaOf({content}: Pick<Response, 'content'>): Schema {
  return content?.['application/json']?.schema ?? {};
}

/** The error codes of a response; empty for a success. */
export function errorsOf(response: Response): readonly string[] {
  const data = follow(schemaOf(response)).properties?.['data'];
  const error = data?.properties?.['error'];
  return error?.enum ?? (typeof error?.const === 'string' ? [error.const] : []);
}
