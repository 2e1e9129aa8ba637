import {isDeepStrictEqual} from 'node:util';
import type {LiveAccount} from '../../../src/accounts/record.ts';
import {ToolError} from '../../../src/tools/tool-error.ts';
import {moved} from '../moved.ts';
import {accounts} from '../seen.ts';
import type {Server} from '../server.ts';
import type {Story} from '../story.ts';
import type {Site} from '../world.ts';
import {contentOf} from './copies.ts';

/** An export of the site makes the same site elsewhere, and that of an account has all that names the account. */
export async function exports({seen, world}: Story, site: Site): Promise<string[]> {
  if (!seen.some((each) => each.do === 'export')) return [];
  const original = world.server;
  try {
    // What has expired by the end of an export is in neither.
    const whole = await moved(site);
    const problems = differences(shown(original), shown(whole), 'the site');
    for (const name of accounts) {
      const account = await site.accounts.find(name);
      if (account === undefined) continue;
      const exported = await moved(site, account);
      const own = shown(original).filter(([key, value]) => isOf(account, original, key, value));
      problems.push(...differences(own, shown(exported), name));
    }
    return problems;
  } catch (error) {
    if (error instanceof ToolError) return [`An export cannot be imported: ${error.message}`];
    throw error;
  }

  /** Records and counters. An import makes the list of the site again, with fewer empty slots. */
  function shown(server: Server): Array<readonly [key: string, value: unknown]> {
    const {records, counters} = contentOf(server, world.timeline.date);
    return [...records, ...counters].filter(([key]) => !key.startsWith('s:list:site:'));
  }
}

type Content = ReadonlyArray<readonly [key: string, value: unknown]>;

function differences(wanted: Content, found: Content, of: string): string[] {
  const values = new Map(found);
  const lost = wanted.filter(([key, value]) => !isDeepStrictEqual(values.get(key), value));
  return lost.map(([key]) => `The export of ${of} loses ${key}`);
}

/** Told by their text, because the kinds of records are what is judged. */
function isOf({id, generation}: LiveAccount, {records}: Server, key: string, value: unknown): boolean {
  const [, tag, counters = ''] = /^s:v:(\{.*\}):(.*)$/.exec(key) ?? [];
  const text = tag === undefined ? `${key} ${JSON.stringify(value)}` : (records.get(`s:l:${tag}`) ?? '');
  if (!text.includes(counters)) return false;
  return text.includes(generation) || key.endsWith(`:${id}`) || text.includes(JSON.stringify({account: id}));
}
