import {withQuery} from '../addresses.ts';
import {html, type Html} from '../html.ts';
import type {AccountDescription} from '../options.ts';
import type {DashboardRequest} from '../request.ts';

export type Descriptions = ReadonlyMap<string, AccountDescription>;

/** The host's descriptions of accounts, requested at the same time. */
export async function describeAccounts(
  {describeAccount}: DashboardRequest,
  accounts: readonly string[],
): Promise<Descriptions> {
  const described = accounts.map(async (account) => [account, await describeAccount(account)] as const);
  return new Map(await Promise.all(described));
}

/** A link to the operator's page of an account, with the name and the email address that the host gives. */
export function accountLink({root}: DashboardRequest, account: string, descriptions: Descriptions): Html {
  const {name, email} = descriptions.get(account) ?? {};
  const details = [name === undefined ? undefined : account, email].filter((text) => text !== undefined);
  return html`<a href="${withQuery(`${root}account`, {account})}" class="links-strong"><bdi>${name ?? account}</bdi></a
    >${details.map((text) => html` <span class="links-fact"><bdi>${text}</bdi></span>`)}`;
}
