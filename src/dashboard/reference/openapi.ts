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
export function follow<Value extends object>(document: OpenApi, value: Value | Reference): Value {
  if (!('$ref' in value)) return value;
  const steps = value.$ref.split('/').slice(1);
  return steps.reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], document) as Value;
}
