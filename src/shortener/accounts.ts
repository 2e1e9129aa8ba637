import type {Accounts} from '../accounts/accounts.ts';
import type {Links} from '../links/links.ts';
import type {ShortUrlAccounts} from './interface.ts';

export function accountsOf(accounts: Accounts, links: Links): ShortUrlAccounts {
  return {
    create: async (account) => ({apiKey: await accounts.create(account)}),
    createMany: async (names) => accounts.createMany(names),
    apiKey: async (account) => accounts.apiKey(account),
    rotate: async (account) => ({apiKey: await accounts.rotate(account)}),
    remove: async (account) => accounts.remove(account),
    stats: async (account, query) => links.accountStats(await accounts.require(account), query),
  };
}
