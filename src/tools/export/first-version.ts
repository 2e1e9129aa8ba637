import {attemptsKey, intentKey} from '../../keys.ts';
import {type Intent, intentLife} from '../../links/create/intents.ts';
import {endOfTries, type Tries} from '../../visits/attempts.ts';
import type {RecordLine} from './export-line.ts';

/** The version of the exports of 1.0.0. */
export const firstVersion = 1;

/**
 * What a record of 1.0.0 is now. Nothing expired then: intents and attempts shared records, and a quota stayed for ever.
 */
export function recordsOf(record: RecordLine): RecordLine[] {
  const {key, value} = record;
  const [kind = ''] = key.split(':', 1);
  if (kind === 'intents') {
    return Object.entries(value as Record<string, Intent>).map(([digest, {at, link, isDone, ...intent}]) => ({
      key: intentKey(digest),
      value: {at, ...intent, ...(link && {link}), ...(isDone && {isDone})} satisfies Intent,
      expires: at + intentLife,
    }));
  }
  if (kind === 'attempts') {
    return Object.entries(value as Record<string, Tries>).map(([digest, tries]) => ({
      key: attemptsKey(digest),
      value: tries,
      expires: endOfTries(tries),
    }));
  }
  return [kind === 'quota' ? {...record, expires: (value as {readonly until: number}).until} : record];
}
