import type {Context} from 'koa';
import type {LinkServices} from '../links/services.ts';
import type {Redirects} from '../visits/redirects.ts';
import {parseCall} from './call.ts';
import {linkAt, looseLinkAt, publicPath} from './request.ts';

export interface AnswersDependencies extends Pick<LinkServices, 'bases' | 'reserved' | 'sitePages'> {
  readonly redirects: Pick<Redirects, 'has'>;
}

/**
 * Makes the function that tells a wall of the host, such as a login, which requests are the shortener's: `answers` of the
 * public interface. A page of the site is not, even if a link has its name: the wall must not let everybody see it.
 */
export function createAnswers({bases, reserved, sitePages, redirects}: AnswersDependencies) {
  const apiPrefix = `${bases.main.path}/api/v1/`;
  return async function answers(ctx: Context): Promise<boolean> {
    const path = publicPath(ctx);
    if (parseCall(path, apiPrefix) !== undefined) return true;
    const name = linkAt(ctx, path, bases) ?? looseLinkAt(ctx, path, bases)?.name;
    return name !== undefined && !reserved.has(name.slug) && !sitePages.has(name) && redirects.has(name);
  };
}
