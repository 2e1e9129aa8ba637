import type {Data} from './request.ts';
import type {Site} from './site.ts';

interface ListPage {
  readonly urls: ReadonlyArray<Data['urls'][number]>;
  /** The whole answer. */
  readonly text: string;
}

/** The pages of a list of links, which follow each other by their cursors, in the format of the suffix. */
export async function* listPages(
  site: Site,
  operation: string,
  parameters: Readonly<Record<string, string>>,
  suffix = '.json',
): AsyncGenerator<ListPage> {
  let cursor: string | undefined;
  do {
    const reply = await site.api(operation, {...parameters, ...(cursor && {cursor})}, {suffix});
    if (reply.status !== 200) throw new Error(`A page answered ${reply.status}: ${reply.text}`);
    const {urls, next_cursor} = reply.envelope.data as {urls: ListPage['urls']; next_cursor?: string};
    yield {urls, text: reply.text};
    cursor = next_cursor;
  } while (cursor !== undefined);
}

/** The short parts of the links on a page, without the path of the site. */
export function partsOf({urls}: Pick<ListPage, 'urls'>): string[] {
  return urls.map(({short_url}) => short_url.slice(short_url.lastIndexOf('/') + 1));
}
