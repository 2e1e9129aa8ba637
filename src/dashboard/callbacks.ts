import type {Context} from 'koa';
import {inTime} from '../values/callback.ts';
import {emitError} from '../warnings.ts';
import type {AccountDescription, DashboardUser} from './options.ts';
import type {DashboardRequest} from './request.ts';
import {checkDescription, checkFound, checkLogin, checkUser, type Settings} from './settings.ts';

/** The callbacks of the host that say more about users and accounts. */
export class Callbacks {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** What a callback of the host returns; undefined if it fails, because every page works without it. */
  async #ask<Result>(ctx: Context, call: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await call();
    } catch (error) {
      emitError(ctx, error);
      return undefined;
    }
  }

  /** The address of the login page, without the way back if it is the same for all; undefined if there is none. */
  async login(ctx: Context, next: string): Promise<string | undefined> {
    const {login} = this.#settings;
    return typeof login === 'function' ? checkLogin(await inTime(login(ctx, next))) : login;
  }

  userOf(ctx: Context): Promise<DashboardUser | undefined> {
    return this.#ask(ctx, async () => checkUser(await inTime(this.#settings.user(ctx))));
  }

  /** The host's descriptions of accounts. The callback is called once for each account of a page. */
  descriptions(ctx: Context): DashboardRequest['describeAccount'] {
    const known = new Map<string, Promise<AccountDescription>>();
    return (account) => {
      const description = known.get(account) ?? this.#describe(ctx, account);
      known.set(account, description);
      return description;
    };
  }

  async #describe(ctx: Context, account: string): Promise<AccountDescription> {
    const {describeAccount} = this.#settings;
    return (await this.#ask(ctx, async () => checkDescription(await inTime(describeAccount(account))))) ?? {};
  }

  search(ctx: Context): DashboardRequest['findAccounts'] {
    const {findAccounts} = this.#settings;
    return findAccounts && ((text) => this.#ask(ctx, async () => checkFound(await inTime(findAccounts(text)))));
  }
}
