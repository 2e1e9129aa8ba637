import {type ErrorCode, errors} from '../../errors.ts';
import {choice, text} from '../../values/shape.ts';
import type {AnswerFields} from './answer-fields.ts';
import type {Operation} from './operation.ts';

const allCodes = Object.keys(errors) as readonly ErrorCode[];

const message = {
  sentence: 'What was wrong and what is expected, for people. The wording may change in later versions.',
  shape: text,
  example: errors.unknown_short_url.sentence,
};

export function errorFields(codes: readonly ErrorCode[]) {
  return {
    error: {sentence: 'The code of the error, for programs.', shape: choice(codes), example: codes[0]},
    message,
  } satisfies AnswerFields;
}

/** The codes that a call may have, or an item of a call of many, wherever its parameters come from. */
function ofCall({parameters, oneOf = [], isRepeatable, errors: own = []}: Operation): readonly ErrorCode[] {
  const all = Object.values(parameters);
  const isNeeded = oneOf.length > 0 || all.some(({isRequired}) => isRequired);
  return [
    'unknown_parameter',
    ...(isNeeded ? (['missing_parameter'] as const) : []),
    ...(all.length > 0 ? (['malformed_parameter'] as const) : []),
    ...all.flatMap((parameter) => parameter.errors ?? []),
    ...(isRepeatable ? (['malformed_parameter', 'idempotency_key_reused'] as const) : []),
    ...own,
    'invalid_api_key',
    'account_blocked',
    'too_many_requests',
    'internal_error',
    'store_unavailable',
  ];
}

/** The codes that a call may be answered with, in one order. */
export function errorsOf(operation: Operation, method: 'GET' | 'POST'): readonly ErrorCode[] {
  const parameters = Object.values(operation.parameters);
  const isGet = method === 'GET';
  const changes = operation.scope !== 'read';
  return inOrder([
    ...ofCall(operation),
    'unsupported_format',
    isGet ? 'malformed_parameter' : 'malformed_body',
    ...(isGet && parameters.length > 0 ? (['duplicate_parameter'] as const) : []),
    ...(isGet && parameters.some(({shape}) => shape.isEncoded) ? (['malformed_base64'] as const) : []),
    ...(isGet && changes ? (['prefetch_refused'] as const) : []),
    ...(changes ? (['insufficient_scope'] as const) : []),
  ]);
}

/** The codes that one item of a call of many may have, each of which is treated as a call of its operation. */
export function itemErrorsOf(operation: Operation, ...more: readonly ErrorCode[]): readonly ErrorCode[] {
  return inOrder([...ofCall(operation), ...more]);
}

function inOrder(codes: readonly ErrorCode[]): readonly ErrorCode[] {
  return allCodes.filter((code) => codes.includes(code));
}
