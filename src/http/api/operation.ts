import type {Account} from '../../accounts/accounts.ts';
import type {Keys, KeyScope} from '../../accounts/keys.ts';
import type {ErrorCode} from '../../errors.ts';
import type {Announcer} from '../../links/announcer.ts';
import type {Conversions} from '../../conversions/conversions.ts';
import type {Links} from '../../links/links.ts';
import type {Schema, Shape, ValueSchema} from '../../values/shape.ts';
import type {Data, Picture, Stream} from '../envelope.ts';
import type {AnswerFields} from './answer-fields.ts';

/** The result of an operation: the fields of `data` in their order, without `date_time`. */
export interface Result {
  readonly data: Data;
  readonly stream?: Stream;
  /** A picture, which is the answer itself instead of `data`. */
  readonly picture?: Picture;
  /** The `date_time` of the answer; by default the time of this call. A repeated call has that of the first. */
  readonly dateTime?: string | undefined;
}

export interface Parameter {
  readonly shape: Shape;
  /** What it is, for people. The bounds of the shape follow it. */
  readonly sentence: string;
  /** For the descriptions. */
  readonly example: unknown;
  readonly isRequired?: true;
  /** Whether a JSON object may set it to null. */
  readonly isNullable?: true;
  /** The codes of its own errors. */
  readonly errors?: readonly ErrorCode[];
}

export type ParameterTable = Readonly<Record<string, Parameter>>;

/** All that is known of an operation. What runs and what describes the API follow from it. */
export interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly parameters: ParameterTable;
  /** Those of which exactly one is needed. */
  readonly oneOf?: readonly string[];
  /** What a key needs to run it. A prefetch must not run an operation that does more than read. */
  readonly scope: KeyScope;
  /** By default it is a GET too. */
  readonly isPostOnly?: true;
  /**
   * The parameters of the paths by which a GET is described, which have all of them. By default one has what is needed, and
   * another one all.
   */
  readonly forms?: ReadonlyArray<readonly string[]>;
  /** Whether it takes the header `Idempotency-Key`. */
  readonly isRepeatable?: true;
  /** The codes of errors that neither a parameter has nor every call may have. */
  readonly errors?: readonly ErrorCode[];
  /** The `data` of the answer, without `date_time`; the content types if the answer is a picture. */
  readonly answer: {readonly sentence: string} & Readonly<{data: AnswerFields} | {pictures: readonly string[]}>;
  readonly example: object;
  readonly run: (services: OperationServices, request: OperationRequest) => Promise<Result>;
}

export interface OperationServices {
  readonly links: Links;
  readonly conversions: Conversions;
  readonly keys: Keys;
  readonly announcer: Announcer;
}

/** The plain values of parameters, in the order of the caller: `tags` is a list, `limit` a number. */
export type Values = ReadonlyMap<string, unknown>;

/** A call of an operation, whose values come from a path or a JSON object. */
export interface OperationRequest {
  readonly account: Account;
  readonly values: Values;
  /** The header `Idempotency-Key`, not checked yet; undefined if there is none. Only creations use it. */
  readonly idempotencyKey: string | undefined;
}

/** A JSON object of parameters, for the descriptions. */
export function objectOf(parameters: ParameterTable, oneOf: readonly string[] = []): ValueSchema {
  const entries = Object.entries(parameters);
  const required = entries.filter(([, {isRequired}]) => isRequired).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, parameter]) => [name, schemaOf(parameter)])),
    ...(required.length > 0 && {required}),
    ...(oneOf.length > 0 && {minProperties: 1, maxProperties: 1}),
    additionalProperties: false,
  };
}

function schemaOf({shape: {schema, bounds}, sentence, isNullable}: Parameter): Schema {
  return {description: withBounds(sentence, bounds), ...(isNullable ? orNull(schema) : schema)};
}

export function orNull(schema: ValueSchema): Schema {
  return schema.type === undefined ? schema : {...schema, type: [schema.type, 'null']};
}

/** A sentence with the bounds of a shape behind it. */
export function withBounds(sentence: string, bounds: string): string {
  return bounds === '' ? sentence : `${sentence} ${bounds.charAt(0).toUpperCase()}${bounds.slice(1)}.`;
}
