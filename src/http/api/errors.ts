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

/** Errors that the parameters of a call may have, in any operation. */
function ofParameters({parameters, oneOf = []}: Pick<Operation, 'parameters' | 'oneOf'>): readonly ErrorCode[] {
  const all = Object.values(parameters);
  const isNeeded = oneOf.length > 0 || all.some(({isRequired}) => isRequired);
  return [
    'unknown_parameter',
    ...(isNeeded ? (['missing_parameter'] as const) : []),
    ...(all.length > 0 ? (['malformed_parameter'] as const) : []),
    ...all.flatMap((parameter) => parameter.errors ?? []),
  ];
}

function ofRepeats({isRepeatable}: Operation): readonly ErrorCode[] {
  return isRepeatable ? ['malformed_parameter', 'idempotency_key_reused'] : [];
}

/** The codes that a call may be answered with, in one order. */
export function errorsOf(operation: Operation, method: 'GET' | 'POST'): readonly ErrorCode[] {
  const {parameters, scope, errors: own = []} = operation;
  const hasParameters = Object.keys(parameters).length > 0;
  const isEncoded = Object.values(parameters).some(({shape}) => shape.isEncoded);
  return inOrder([
    ...ofParameters(operation),
    ...ofRepeats(operation),
    ...own,
    ...(method === 'POST' ? (['malformed_body'] as const) : (['malformed_parameter'] as const)),
    ...(method === 'GET' && hasParameters ? (['duplicate_parameter'] as const) : []),
    ...(method === 'GET' && isEncoded ? (['malformed_base64'] as const) : []),
    ...(method === 'GET' && scope !== 'read' ? (['prefetch_refused'] as const) : []),
    ...(scope === 'read' ? [] : (['insufficient_scope'] as const)),
    'unsupported_format',
    'invalid_api_key',
    'account_blocked',
    'too_many_requests',
    'internal_error',
    'store_unavailable',
  ]);
}

/** The codes that one item of a call of many may have, each of which is treated as a call of its operation. */
export function itemErrorsOf(operation: Operation, ...more: readonly ErrorCode[]): readonly ErrorCode[] {
  return inOrder([
    ...ofParameters(operation),
    ...ofRepeats(operation),
    ...(operation.errors ?? []),
    ...more,
    'invalid_api_key',
    'account_blocked',
    'too_many_requests',
    'internal_error',
    'store_unavailable',
  ]);
}

function inOrder(codes: readonly ErrorCode[]): readonly ErrorCode[] {
  return allCodes.filter((code) => codes.includes(code));
}
