import type {Account} from '../accounts/accounts.ts';
import type {LinkServices} from './services.ts';

type Services = Pick<LinkServices, 'longReads'>;

type Owner = Pick<Account, 'generation'>;

/** The operator of the site takes turns as an account does. */
export const operator: Owner = {generation: ''};

/** Long reads of an account take turns, so that they delay neither its visitors nor other accounts for long. */
export function inTurn<Result>(
  {longReads}: Services,
  {generation}: Owner,
  read: () => Promise<Result>,
): Promise<Result> {
  return longReads.run({account: generation}, read);
}

/** A long read that yields values. */
export function eachInTurn<Value>(
  {longReads}: Services,
  {generation}: Owner,
  values: AsyncGenerator<Value>,
): AsyncGenerator<Value> {
  return longReads.each({account: generation}, values);
}
