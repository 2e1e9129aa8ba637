import {isDeepStrictEqual} from 'node:util';
import type {LiveAccount} from '../../../src/accounts/record.ts';
import type {Intent} from '../../../src/links/create/intents.ts';
import {ToolError} from '../../../src/tools/tool-error.ts';
import {moved} from '../moved.ts';
import {accounts} from '../seen.ts';
import type {ToolStore} from '../../../src/store/port.ts';
import type {Story} from '../story.ts';
import type {Site} from '../world.ts';
import {contentOf, hasExpired} from './copies.ts';

/** An export of the site makes the same site elsewhere, and that of an account has all that names the account. */
export async function exports({seen}: Story, site: Site): Promise<string[]> {
  if (!seen.some((each) => each.do === 'export')) return [];
  try {
    const original = await shown(site.store);
    // What has expired by the end of an export is in neither.
    const whole = await moved(site);
    const problems = differences(original, await shown(site.openTarget(whole)), 'the site', site.now());
    for (const name of accounts) {
      const account = await site.accounts.find(name);
      if (account === undefined) continue;
      const exported = await moved(site, account);
      const own = new Map(Array.from(original).filter(([key, value]) => isOf(account, original, key, value)));
      problems.push(...differences(own, await shown(site.openTarget(exported)), name, site.now()));
    }
    return problems;
  } catch (error) {
    if (error instanceof ToolError) return [`An export cannot be imported: ${error.message}`];
    throw error;
  }
}

/** An import makes the list of the site again, with fewer empty slots. */
async function shown(store: ToolStore): Promise<Content> {
  const content = await contentOf(store);
  return new Map(Array.from(content).filter(([key]) => !key.startsWith('list:site:')));
}

type Content = ReadonlyMap<string, unknown>;

function differences(wanted: Content, found: Content, of: string, now: number): string[] {
  // What expires while an account is exported is not in the export.
  const lost = Array.from(wanted).filter(
    ([key, value]) => !isDeepStrictEqual(found.get(key), value) && !hasExpired(value, now),
  );
  return lost.map(([key]) => `The export of ${of} loses ${key}`);
}

/** Told by their text, because the kinds of records are what is judged. */
function isOf({id, generation}: LiveAccount, content: Content, key: string, value: unknown): boolean {
  const [, tag, counters = ''] = /^counters v:(\{.*\}):(.*)$/.exec(key) ?? [];
  const text = tag === undefined ? `${key} ${JSON.stringify(value)}` : JSON.stringify(content.get(`l:${tag}`) ?? '');
  if (!text.includes(counters)) return false;
  if (key.startsWith('reuse:') && !hasLink(content, key, value)) return false;
  return text.includes(generation) || key.endsWith(`:${id}`) || text.includes(JSON.stringify({account: id}));
}

/**
 * Whether the link that `reuse` finds was made and is there. The record of a refused create has none, that of a removal
 * without an answer may have one that was removed, and both are of no use elsewhere.
 */
function hasLink(content: Content, key: string, stored: unknown): boolean {
  const {domain = '', slug = ''} = (stored as {readonly value: Intent}).value.link ?? {};
  return JSON.stringify(content.get(`l:{${domain}:${slug}}`) ?? '').includes(key.replace('reuse:', ''));
}
