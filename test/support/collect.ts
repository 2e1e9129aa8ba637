/** The items in order. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Every page of a list. `read` gets the cursor of each. */
export async function pagesOf<Page extends {readonly nextCursor: string | undefined}>(
  read: (cursor: string | undefined) => Promise<Page>,
): Promise<Page[]> {
  const pages = [await read(undefined)];
  for (let next = pages[0]?.nextCursor; next !== undefined; next = pages.at(-1)?.nextCursor)
    pages.push(await read(next));
  return pages;
}
