import {type Link, ShortUrlError} from '../../index.ts';
import {type DashboardRequest, NotFound} from '../request.ts';

/** @throws NotFound for a link that the account does not have */
export async function ownLink({shortener, account}: DashboardRequest, shortUrl: string): Promise<Link> {
  try {
    return await shortener.links.info(account, shortUrl);
  } catch (error) {
    if (error instanceof ShortUrlError && error.status < 500 && error.code !== 'invalid_api_key') throw new NotFound();
    throw error;
  }
}
