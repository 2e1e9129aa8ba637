import type {Account} from '../accounts/accounts.ts';
import type {LinkServices} from './services.ts';

type Services = Pick<LinkServices, 'longReads'>;

/** Long reads of an account take turns, so that they delay neither its visitors nor other accounts for long. */
export function inTurn<Result>(
  {longReads}: Services,
  {generation}: Account,
  read: () => Promise<Result>,
): Promise<Result> {
  return longReads.run({account: generation}, read);
}

/** A long read that yields values. */
export function eachInTurn<Value>(
  {longReads}: Services,
  {generation}: Account,
  values: AsyncGenerator<Value>,
): AsyncGenerator<Value> {
  return longReads.each({account: generation}, values);
}
