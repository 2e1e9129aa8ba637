import {type ErrorCode, errors} from '../../src/errors.ts';
import type {AnswerFields} from '../../src/http/api/answer-fields.ts';
import {errorFields, errorsOf} from '../../src/http/api/errors.ts';
import {objectOf, type Operation, type Parameter, withBounds} from '../../src/http/api/operation.ts';
import {operations} from '../../src/http/api/operations.ts';
import type {Data, Envelope} from '../../src/http/envelope.ts';
import {dateTime} from './envelope.ts';
import {exampleOf, type Json, pascal, Schemas} from './schemas.ts';
import * as visits from './visits.ts';

const root = '/api/v1/shorturl/';
const main = 'openapi.json';

/** The names of the statuses that several errors of an operation may have. */
const statusNames: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  429: 'Limited',
};

const headers = {
  'Cache-Control': {$ref: '#/components/headers/NotStored'},
  'Referrer-Policy': {$ref: '#/components/headers/NoReferrer'},
  'X-Content-Type-Options': {$ref: '#/components/headers/NoSniffing'},
  'X-Robots-Tag': {$ref: '#/components/headers/NotIndexed'},
};

const headersOfStatus: Readonly<Record<number, Json>> = {
  401: {'WWW-Authenticate': {$ref: '#/components/headers/Challenge'}},
  429: {'Retry-After': {$ref: '#/components/headers/RetryAfter'}},
  503: {'Retry-After': {$ref: '#/components/headers/RetryAfter'}},
};

const base64 = {type: 'string', pattern: '^[A-Za-z0-9+/_-]+={0,2}$'};

const ofEveryPath: Readonly<Record<string, Json>> = {
  key: {
    name: 'key',
    in: 'path',
    required: true,
    description:
      'The API key of the account. The site shows it after login. Here the key is in the path, so keep it out of your logs and referrers, or send it in the header instead.',
    schema: {type: 'string', minLength: 1},
    example: 'V1StGXR8_Z5jdHi6B-myT3kQ9wLc2NpE',
  },
  format: {
    name: 'format',
    in: 'path',
    required: true,
    description: 'The format of the answer, in lower or upper case. Without a dot and a suffix the answer is JSON.',
    schema: {type: 'string', pattern: '^([Jj][Ss][Oo][Nn]|[Xx][Mm][Ll])$', default: 'json'},
    example: 'json',
  },
};

interface Example {
  readonly summary: string;
  readonly value: Envelope;
}

/** Makes the parts of both documents, whose components are in the first unless only the second uses them. */
class Parts {
  readonly schemas = new Schemas(
    [...operations.values()].flatMap(({answer}) => ('data' in answer ? [{...answer.data, date_time: dateTime}] : [])),
  );
  readonly responses: Record<string, Json> = {};
  readonly pathParameters: Record<string, Json> = {...ofEveryPath};

  /** A reference to a response, which is added if it is new. */
  #response(name: string, content: () => Json): Json {
    this.responses[name] ??= content();
    return {$ref: `#/components/responses/${name}`};
  }

  /** The schema of an answer with its envelope. */
  #envelope(code: number, data: AnswerFields, description: string): Json {
    return {
      description,
      type: 'object',
      xml: {name: 'response'},
      properties: {
        code: {type: 'integer', const: code},
        data: this.schemas.object([{...data, date_time: dateTime}]),
      },
      required: ['code', 'data'],
      additionalProperties: false,
    };
  }

  #success(name: string, {answer}: Operation): Json {
    const {sentence} = answer;
    if ('pictures' in answer) {
      return {
        description: sentence,
        headers: {...headers, 'Cache-Control': {$ref: '#/components/headers/KeptForADay'}},
        content: Object.fromEntries(
          answer.pictures.map((type) => [type, {schema: {type: 'string', contentMediaType: type}}]),
        ),
      };
    }
    const data = {...answer.data, date_time: dateTime};
    const [full, bare] = [exampleOf(data, false) as Data, exampleOf(data, true) as Data];
    const isSame = JSON.stringify(full) === JSON.stringify(bare);
    const schema = this.schemas.component(`${pascal(name)}Answer`, () => this.#envelope(200, answer.data, sentence));
    return {
      description: sentence,
      headers,
      content: inJson(schema, {
        example: {summary: 'With values', value: {code: 200, data: full}},
        ...(!isSame && {bare: {summary: 'Without optional values', value: {code: 200, data: bare}}}),
      }),
    };
  }

  /** @param name of a component for several errors. One error is a component of its own name. */
  #failure(name: string, status: number, codes: readonly ErrorCode[], description: string): Json {
    const schema = this.schemas.component(name, () => this.#envelope(status, errorFields(codes), description));
    return this.#response(name, () => this.#refusal(status, codes, description, schema));
  }

  #refusal(status: number, codes: readonly ErrorCode[], description: string, schema: Json): Json {
    return {
      description,
      headers: {...headers, ...headersOfStatus[status]},
      content: inJson(
        schema,
        Object.fromEntries(
          codes.map((code) => {
            const {sentence} = errors[code];
            const data = {error: code, message: sentence, date_time: dateTime.example};
            return [code, {summary: sentence, value: {code: status, data}}];
          }),
        ),
      ),
    };
  }

  /** @param name begins the names of components for several errors */
  #failures(name: string, operation: Operation, method: 'GET' | 'POST'): Json {
    const codes = errorsOf(operation, method);
    const statuses = [...new Set(codes.map((code) => errors[code].status as number))];
    const byStatus = statuses.map((status) => {
      const own = codes.filter((code) => errors[code].status === status);
      const [only] = own;
      if (own.length === 1 && only !== undefined) {
        return [status, this.#failure(pascal(only), status, own, errors[only].sentence)] as const;
      }
      const description =
        status === 400
          ? 'The call has an error; the first one is reported.'
          : own.map((code) => errors[code].sentence).join(' Or: ');
      return [status, this.#failure(`${name}${statusNames[status] ?? ''}`, status, own, description)] as const;
    });
    const ofBody =
      method === 'POST'
        ? ([
            [413, this.#failure('BodyTooLarge', 413, ['malformed_body'], 'The body is larger than 256 kB.')],
            [415, this.#failure('UnsupportedBody', 415, ['malformed_body'], 'The body is not JSON in UTF-8.')],
          ] as const)
        : [];
    return Object.fromEntries([...byStatus, ...ofBody]);
  }

  post(name: string, operation: Operation): Json {
    const {summary, description, parameters, oneOf, isRepeatable, isPostOnly, example} = operation;
    return {
      operationId: `post${pascal(name)}`,
      tags: ['API'],
      summary,
      description: isPostOnly ? `${description} POST only.` : description,
      security: [{ApiKey: []}],
      ...(isRepeatable && {parameters: [{$ref: '#/components/parameters/idempotency_key'}]}),
      requestBody: {
        required: true,
        content: {'application/json': {schema: objectOf(parameters, oneOf), example}},
      },
      // Not a component, because swagger-typescript-api reads no content through a reference.
      responses: {200: this.#success(name, operation), ...this.#failures(pascal(name), operation, 'POST')},
    };
  }

  /** Calls that are no operation. */
  otherCalls(): readonly Json[] {
    const shared = (code: ErrorCode): Json =>
      this.#failure(pascal(code), errors[code].status, [code], errors[code].sentence);
    // Linters ignore this part of the document, and report a component that only this part uses.
    const own = (code: ErrorCode): Json => {
      const {status, sentence} = errors[code];
      return this.#refusal(status, [code], sentence, this.#envelope(status, errorFields([code]), sentence));
    };
    const ofAll: readonly ErrorCode[] = ['invalid_api_key', 'too_many_requests', 'internal_error', 'store_unavailable'];
    const allow = {
      description:
        'The methods that are allowed: `GET` if the key is in the path, `POST` for the operations that are a POST only, and otherwise both.',
      required: true,
      schema: {type: 'string', enum: ['GET, POST', 'GET', 'POST']},
    };
    return [
      {
        summary: 'Any other operation',
        description: 'A path of the API with an unknown operation.',
        responses: {
          [errors.unknown_operation.status]: own('unknown_operation'),
          ...Object.fromEntries(ofAll.map((code) => [errors[code].status, shared(code)])),
        },
      },
      {
        summary: 'Any other method',
        description: 'A path of the API with a method that it does not allow. It is refused before the key is checked.',
        responses: {405: {...own('method_not_allowed'), headers: {...headers, Allow: allow}}},
      },
    ];
  }

  #pathParameter(operation: string, name: string, parameter: Parameter): Json {
    const described = {
      name: inPath(name),
      in: 'path',
      required: true,
      description: pathSentence(parameter),
      schema: pathSchema(parameter),
      example: pathExample(parameter),
    };
    const isSame = (other: Json | undefined): boolean => JSON.stringify(other) === JSON.stringify(described);
    const component = [inPath(name), `${operation}_${name}`].find(
      (each) => this.pathParameters[each] === undefined || isSame(this.pathParameters[each]),
    );
    this.pathParameters[component ?? ''] = described;
    return {$ref: `#/components/parameters/${component ?? ''}`};
  }

  #get(name: string, operation: Operation, path: Form, isKeyInPath: boolean): readonly [string, Json] {
    const given = path.parameters.map((each) => [each, operation.parameters[each]] as const);
    const start = isKeyInPath ? '/api/v1/{key}/shorturl/' : root;
    const pairs = given.map(([each]) => `/${each}/{${inPath(each)}}`).join('');
    const {isRepeatable, ...others} = operation;
    // A call with the key in its path ignores the header, and a path has the errors of its parameters only.
    const isRepeated = isRepeatable === true && !isKeyInPath;
    const ofPath: Operation = {
      ...others,
      ...(isRepeated && {isRepeatable}),
      parameters: Object.fromEntries(given.flatMap(([each, parameter]) => (parameter ? [[each, parameter]] : []))),
    };
    const component = `Get${pascal(path.operationId)}${isRepeatable && isKeyInPath ? 'WithKeyInPath' : ''}`;
    return [
      `${start}${name}${pairs}.{format}`,
      {
        get: {
          operationId: isKeyInPath ? `${path.operationId}WithKeyInPath` : path.operationId,
          tags: [isKeyInPath ? 'API with the key in the path' : 'API by GET'],
          summary: path.summary,
          description: operation.description,
          ...(!isKeyInPath && {security: [{ApiKey: []}]}),
          parameters: [
            ...(isKeyInPath ? [{$ref: '#/components/parameters/key'}] : []),
            ...given.flatMap(([each, parameter]) => (parameter ? [this.#pathParameter(name, each, parameter)] : [])),
            {$ref: '#/components/parameters/format'},
            ...(isRepeated ? [{$ref: `${main}#/components/parameters/idempotency_key`}] : []),
          ],
          responses: {
            200: this.#response(pascal(name), () => this.#success(name, operation)),
            ...this.#failures(component, ofPath, 'GET'),
          },
        },
      },
    ];
  }

  pathsByGet(): Json {
    const paths = [...operations].flatMap(([name, operation]) => {
      return operation.isPostOnly ? [] : formsOf(name, operation).map((path) => ({name, operation, path}));
    });
    return Object.fromEntries(
      [false, true].flatMap((isKeyInPath) =>
        paths.map(({name, operation, path}) => this.#get(name, operation, path, isKeyInPath)),
      ),
    );
  }
}

/** A path of a GET has all of its parameters, so an operation needs several. */
interface Form {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly string[];
}

/** A long URL comes last, as in the specification: it may have slashes. */
function formsOf(name: string, {summary, parameters, oneOf, forms}: Operation): Form[] {
  const id = pascal(name).replace(/^./, (letter) => letter.toLowerCase());
  const [needed, others] = [true, false].map((isNeeded) =>
    Object.keys(parameters).filter((each) => (parameters[each]?.isRequired === true) === isNeeded),
  ) as [string[], string[]];
  const least = {operationId: id, summary, parameters: needed};
  const given = forms ?? oneOf?.map((each) => [each]);
  if (given === undefined) {
    const all = {
      operationId: `${id}WithOptions`,
      summary: `${summary}, with options`,
      parameters: [...others, ...needed],
    };
    return others.length === 0 ? [least] : [least, all];
  }
  return given.map((each, index) => {
    const last = each.at(-1) ?? '';
    const own = {operationId: `${id}With${pascal(last)}`, summary: `${summary}, with \`${last}\``};
    return {...(index === 0 ? least : own), parameters: each};
  });
}

/**
 * An answer in JSON. XML is not declared, because a generated client may then ask for it, and read the answer as JSON: a
 * path tells the format, not the header `Accept`.
 */
function inJson(schema: Json, examples: Readonly<Record<string, Example>>): Json {
  return {'application/json': {schema, examples}};
}

/** What a path has for a value. */
function pathSchema({shape: {schema, isEncoded}}: Parameter): Json {
  if (isEncoded) return base64;
  if (schema.type === 'boolean') return {type: 'string', enum: ['true', 'false']};
  const {items, maxItems} = schema;
  if (schema.type !== 'array' || items === undefined) return {...schema};
  const words = items.enum;
  const item = words === undefined ? `[^,]{${items.minLength ?? 1},${items.maxLength ?? ''}}` : `(${words.join('|')})`;
  return {type: 'string', pattern: `^${item}(,${item}){0,${(maxItems ?? words?.length ?? 1) - 1}}$`};
}

function pathSentence({sentence, shape: {schema, isEncoded, bounds}}: Parameter): string {
  const told = withBounds(sentence, bounds);
  if (isEncoded) return `${told} In base64${schema.type === 'string' ? '' : ' of its JSON'}, in either alphabet.`;
  return schema.type === 'array' ? `${told} Separated by commas.` : told;
}

function pathExample({example, shape: {schema, isEncoded}}: Parameter): unknown {
  const text = typeof example === 'string' ? example : JSON.stringify(example);
  if (isEncoded) return Buffer.from(text).toString('base64url');
  if (schema.type === 'array') return (example as readonly string[]).join();
  return schema.type === 'integer' ? example : text;
}

/** The suffix of a path has the name `format` already. */
function inPath(name: string): string {
  return name === 'format' ? 'picture_format' : name;
}

const contact = {name: 'The site of the short URLs'};
const license = {name: 'MIT', identifier: 'MIT'};
const servers = [
  {
    url: '{base_url}',
    description: 'Scheme, domain and, if the site has one, the path prefix of its short URLs and the API.',
    // Without a description of its own, which orval 7 refuses.
    variables: {base_url: {default: 'https://example.com'}},
  },
];

/** The texts of `docs/openapi.json` and `docs/openapi-get.json`. */
export function openApiFiles(version: string): readonly [main: string, byGet: string] {
  const parts = new Parts();
  const posts = Object.fromEntries(
    [...operations].map(([name, operation]) => [root + name, {post: parts.post(name, operation)}]),
  );
  const others = parts.otherCalls();
  const ofMain = {responses: {...parts.responses}, schemas: {...parts.schemas.components}};
  const gets = parts.pathsByGet();
  const document = {
    openapi: '3.1.1',
    info: {
      title: 'Short URLs',
      version,
      summary: 'Create, change, remove, inspect and list the short URLs of an account, and open them.',
      description:
        'Every operation is a POST with a JSON object and the API key in the `Authorization` header.\n\nThe answer is JSON. With `.xml` behind the path, as in `/api/v1/shorturl/create.xml`, it is XML with the same content, which [short-url.xsd](short-url.xsd) describes and this document does not. The suffix `.json` is accepted too.\n\nAn answer has a `code`, which is the HTTP status, and `data`, which always contains `date_time`. All dates are in UTC. An error has a code for programs in `data.error` and a sentence for people in `data.message`.\n\nMost operations are also a GET with the parameters in the path: see openapi-get.json.',
      contact,
      license,
    },
    servers,
    tags: [
      {
        name: 'API',
        description:
          'For programs: a POST with a JSON object, and the API key of the account in the header `Authorization: Bearer <API_KEY>`.',
      },
      {name: 'Visitors', description: 'For browsers.'},
    ],
    security: [],
    paths: {...posts, ...visits.paths},
    'x-other-calls': others,
    components: {
      securitySchemes: {
        ApiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'The API key of the account. The site shows it after login.',
        },
      },
      parameters: visits.parameters,
      headers: visits.headers,
      responses: {...ofMain.responses, ...visits.responses},
      schemas: {...ofMain.schemas, ...visits.schemas},
    },
  };
  const without = (all: Readonly<Record<string, Json>>, known: object): Json =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !(name in known)));
  const byGet = {
    openapi: '3.1.1',
    info: {
      title: 'Short URLs by GET',
      version,
      summary: 'The operations by GET, as the specification of the API has them.',
      description:
        'The form of the API that follows a given specification: a GET with pairs of name and value in the path, and the API key in the path or in the `Authorization` header. New programs should use the POST of [openapi.json](openapi.json).\n\nThe pairs may be in any order, and most of them are optional. A path of OpenAPI cannot express this, so it has all of them.\n\nThe answer is JSON or, with the suffix `.xml`, XML with the same content, which [short-url.xsd](short-url.xsd) describes and this document does not.\n\nURLs are in base64. It is accepted in the standard and in the URL-safe alphabet, with or without padding. Use the URL-safe alphabet. A slash of the standard alphabet may be in the path literally or as `%2F`, but a proxy that merges double slashes breaks such a value. If the last value contains a dot, add the suffix, or write the dot as `%2E`.',
      contact,
      license,
    },
    servers,
    tags: [
      {
        name: 'API by GET',
        description:
          'The same operations with all parameters in the path. The key is in the header, so that no log, history or referrer gets it with the URL.',
      },
      {
        name: 'API with the key in the path',
        description:
          'The same operations in the form of the specification that this API follows: the key is in the path, and the `Authorization` header is ignored. Keep such URLs out of logs.',
      },
    ],
    security: [],
    paths: gets,
    components: {
      securitySchemes: {ApiKey: {$ref: `${main}#/components/securitySchemes/ApiKey`}},
      parameters: parts.pathParameters,
      responses: without(parts.responses, ofMain.responses),
      schemas: without(parts.schemas.components, ofMain.schemas),
    },
  };
  return [write(document), write(toMain(byGet))];
}

/** A reference to a component that only the main file has leads there. */
function toMain<Document extends {readonly components: object}>(byGet: Document): Document {
  const own = byGet.components as Readonly<Record<string, object>>;
  const text = JSON.stringify(byGet).replaceAll(
    /"(#\/components\/(\w+)\/(\w+))"/g,
    (reference, path: string, kind: string, name: string) =>
      name in (own[kind] ?? {}) ? reference : `"${main}${path}"`,
  );
  return JSON.parse(text) as Document;
}

function write(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
