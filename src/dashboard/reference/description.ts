import {follow, type Header, type OpenApi, type Operation, type Parameter, type Response} from './openapi.ts';

/** A piece of a text: plain, code, or a link. */
export interface Piece {
  readonly text: string;
  readonly isCode?: boolean;
  readonly address?: string;
}

export interface ShownHeader {
  readonly name: string;
  readonly value: string | undefined;
  readonly text: readonly Piece[];
}

export interface ShownResponse {
  readonly status: string;
  readonly text: readonly Piece[];
  readonly headers: readonly ShownHeader[];
  /** The error codes that come with the status. */
  readonly errors: readonly string[];
}

export interface ShownOperation {
  readonly name: string;
  readonly title: string;
  readonly text: readonly Piece[];
  readonly method: string;
  readonly path: readonly Piece[];
  /** The URL with an example of each parameter. */
  readonly address: string;
  /** Whether the API key is in the `Authorization` header. */
  readonly hasKeyInHeader: boolean;
  readonly parameters: ReadonlyArray<{readonly name: string; readonly text: readonly Piece[]}>;
  readonly responses: readonly ShownResponse[];
  readonly examples: ReadonlyArray<{readonly title: string; readonly text: string}>;
}

export interface ApiReference {
  readonly title: string;
  readonly summary: string;
  readonly paragraphs: ReadonlyArray<readonly Piece[]>;
  readonly groups: ReadonlyArray<{
    readonly name: string;
    readonly text: readonly Piece[];
    readonly operations: readonly ShownOperation[];
  }>;
  readonly others: ReadonlyArray<{
    readonly title: string;
    readonly text: readonly Piece[];
    readonly responses: readonly ShownResponse[];
  }>;
  /** The headers that every answer of the API has. */
  readonly headers: readonly ShownHeader[];
  readonly errors: ReadonlyArray<{readonly status: string; readonly code: string; readonly text: readonly Piece[]}>;
}

/**
 * Prepares an OpenAPI document for the reference pages.
 *
 * @param site the base URL of the site, without a slash at its end
 */
export function apiReference(document: OpenApi, site: string): ApiReference {
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
          return {
            name: operation.operationId,
            title: operation.summary,
            text: piecesOf(operation.description),
            method: method.toUpperCase(),
            path: path.split(/(\{\w+\})/).map((text) => ({text, isCode: text.startsWith('{')})),
            address: site + path.replaceAll(/\{(\w+)\}/g, (_, each: string) => exampleOf(parameters, each)),
            hasKeyInHeader: operation.security !== undefined,
            parameters: parameters.map((each) => ({name: each.name, text: piecesOf(each.description)})),
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
  return [...new Map(errors).values()].sort((one, other) => Number(one.status) - Number(other.status));
}

function successesOf(document: OpenApi, operation: Operation): ShownOperation['examples'] {
  const success = responsesOf(document, operation).find(({status}) => status === '200')?.response.content ?? {};
  return Object.entries(success).flatMap(([type, {examples = {}}]) =>
    Object.values(examples)
      .slice(0, 1)
      .map(({value}) => ({
        title: type === 'application/xml' ? 'Answer in XML' : 'Answer in JSON',
        text: typeof value === 'string' ? indented(value) : JSON.stringify(value, null, 2),
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
  return encodeURIComponent(parameters.find((each) => each.name === name)?.example ?? '');
}
