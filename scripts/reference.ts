import type {
  ApiReference,
  Piece,
  ShownHeader,
  ShownOperation,
  ShownResponse,
} from '../src/dashboard/reference/description.ts';

/** The parts of an OpenAPI document that the reference page shows. */
export interface OpenApi {
  readonly info: {readonly title: string; readonly summary: string; readonly description: string};
  readonly tags: ReadonlyArray<{readonly name: string; readonly description: string}>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly 'x-other-calls': ReadonlyArray<{
    readonly summary: string;
    readonly description: string;
    readonly responses: Operation['responses'];
  }>;
}

export interface Reference {
  readonly $ref: string;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  /** Undefined if the API key is in the path or none is needed. */
  readonly security?: readonly object[];
  readonly parameters: ReadonlyArray<Parameter | Reference>;
  /** Of a POST of the API. */
  readonly requestBody?: {
    readonly content: Readonly<
      Record<
        'application/json',
        {
          readonly schema: {readonly properties: Readonly<Record<string, {readonly description: string}>>};
          readonly example: Readonly<Record<string, unknown>>;
        }
      >
    >;
  };
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

export interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly example: string | number;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Readonly<Record<string, {readonly examples?: Readonly<Record<string, Example>>}>>;
}

export interface Header {
  readonly description: string;
  readonly schema: {readonly const?: string};
}

export interface Example {
  readonly summary?: string;
  readonly value: unknown;
}

/** Resolves a `$ref` within the document; returns any other value unchanged. */
function follow<Value extends object>(document: OpenApi, value: Value | Reference): Value {
  if (!('$ref' in value)) return value;
  const steps = value.$ref.split('/').slice(1);
  return steps.reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], document) as Value;
}

/**
 * Prepares an OpenAPI document for the reference pages.
 *
 * In its examples the addresses of the document are placeholders, which `forSite` replaces.
 */
export function apiReference(document: OpenApi): ApiReference {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({path, method, operation})),
  );
  const callable = operations.filter(({path}) => path.startsWith('/api/'));
  const lists = [...callable.map(({operation}) => operation), ...document['x-other-calls']];
  const responses = lists.flatMap((each) => responsesOf(document, each));
  const [first, ...rest] = responses.map(({response}) => headersOf(document, response));
  const common = (first ?? []).filter(({name}) => rest.every((headers) => headers.some((each) => each.name === name)));
  const isCommon = new Set(common.map(({name}) => name));

  const show = (list: Pick<Operation, 'responses'>, isCall: boolean): ShownResponse[] =>
    responsesOf(document, list).map(({status, response}) => ({
      status,
      text: piecesOf(response.description),
      headers: headersOf(document, response).filter(({name}) => !isCall || !isCommon.has(name)),
      errors: errorsOf(response).map(({code}) => code),
    }));

  return {
    title: document.info.title,
    summary: document.info.summary,
    paragraphs: document.info.description.split('\n\n').map(piecesOf),
    groups: document.tags.map(({name, description}) => ({
      name,
      text: piecesOf(description),
      operations: operations
        .filter(({operation}) => operation.tags.includes(name))
        .map(({path, method, operation}) => {
          const parameters = operation.parameters.map((parameter) => follow<Parameter>(document, parameter));
          // A form has another type.
          const posted = path.startsWith('/api/') ? operation.requestBody?.content['application/json'] : undefined;
          const members = Object.entries(posted?.schema.properties ?? {}).map(([name, {description: about}]) => ({
            name,
            text: piecesOf(about),
          }));
          return {
            name: operation.operationId,
            title: operation.summary.replace(/, with the key in the path$/, ''),
            text: piecesOf(operation.description),
            method: method.toUpperCase(),
            path: path.split(/(\{\w+\})/).map((text) => ({text, isCode: text.startsWith('{')})),
            address: '{site}' + path.replaceAll(/\{(\w+)\}/g, (_, each: string) => exampleOf(parameters, each)),
            hasKeyInHeader: operation.security !== undefined,
            hasKeyInPath: path.includes('{key}'),
            body: posted && withPlaceholders(JSON.stringify(posted.example)),
            parameters: [
              ...members,
              ...parameters.map((each) => ({name: each.name, text: piecesOf(each.description)})),
            ],
            responses: show(operation, path.startsWith('/api/')),
            examples: successesOf(document, operation),
          };
        }),
    })),
    others: document['x-other-calls'].map((call) => ({
      title: call.summary,
      text: piecesOf(call.description),
      responses: show(call, true),
    })),
    headers: common,
    errors: uniqueErrors(responses),
  };
}

/** Splits a text of the document into plain text, `code` and [links](address). */
function piecesOf(text: string): Piece[] {
  return Array.from(text.matchAll(/`([^`]+)`|\[([^\]]+)\]\(([^)]+)\)|[^`[]+/g), ([all, code, link, address]) => {
    if (code !== undefined) return {text: code, isCode: true};
    return link !== undefined && address !== undefined ? {text: link, address} : {text: all};
  });
}

interface Answer {
  readonly status: string;
  readonly response: Response;
}

function responsesOf(document: OpenApi, {responses}: Pick<Operation, 'responses'>): Answer[] {
  return Object.entries(responses).map(([status, response]) => ({status, response: follow(document, response)}));
}

function headersOf(document: OpenApi, {headers = {}}: Response): ShownHeader[] {
  return Object.entries(headers).map(([name, reference]) => {
    const {description, schema} = follow<Header>(document, reference);
    return {name, value: schema.const, text: piecesOf(description)};
  });
}

/** In the document the name of an error's example is its code, and the summary says when it occurs. */
function errorsOf({content = {}}: Response): Array<{code: string; summary: string}> {
  const examples = Object.entries(content['application/json']?.examples ?? {});
  return examples
    .filter(([code, {value}]) => (value as {data: {error?: string}}).data.error === code)
    .map(([code, {summary = ''}]) => ({code, summary}));
}

function uniqueErrors(responses: readonly Answer[]): ApiReference['errors'] {
  const errors = responses.flatMap(({status, response}) =>
    errorsOf(response).map(({code, summary}) => [code, {status, code, text: piecesOf(summary)}] as const),
  );
  // A code with several statuses is shown with the first.
  return [...new Map(errors.reverse()).values()].sort((one, other) => Number(one.status) - Number(other.status));
}

function successesOf(document: OpenApi, operation: Operation): ShownOperation['examples'] {
  const success = responsesOf(document, operation).find(({status}) => status === '200')?.response.content ?? {};
  return Object.entries(success).flatMap(([type, {examples = {}}]) =>
    Object.values(examples)
      .slice(0, 1)
      .map(({value}) => ({
        format: type === 'application/xml' ? 'XML' : 'JSON',
        text: withPlaceholders(typeof value === 'string' ? indented(value) : JSON.stringify(value, null, 2)),
      })),
  );
}

/** Puts every element with child elements on several lines. */
function indented(document: string): string {
  let depth = 0;
  const lines = document
    .replaceAll(/>(?=<)/g, '>\n')
    .split('\n')
    .map((line) => {
      if (/^<\/\w+>$/.test(line) && !/^<(\w+)><\/\1>$/.test(line)) depth -= 1;
      const text = '  '.repeat(depth) + line;
      if (/^<\w+>$/.test(line)) depth += 1;
      return text;
    });
  return lines.join('\n').replaceAll(/<(\w+)>\n\s*<\/\1>/g, '<$1></$1>');
}

function exampleOf(parameters: readonly Parameter[], name: string): string {
  const example = String(parameters.find((each) => each.name === name)?.example ?? '');
  if (name === 'base_domain') return '{domain}';
  if (name === 'expiry_date') return '{date}';
  if (name !== 'short_url') return encodeURIComponent(example);
  return `{base64:${new URL(Buffer.from(example, 'base64').toString()).pathname}}`;
}

/** Long URLs of the document are on other domains than its short URLs. */
function withPlaceholders(example: string): string {
  return example.replaceAll(/https:\/\/(?:example\.com|sho\.rt)(?![\w.-])/g, '{site}');
}
