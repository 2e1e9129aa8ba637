import type {IncomingHttpHeaders} from 'node:http';
import {isbot} from 'isbot';
import {LRUCache} from 'lru-cache';

/** In characters: more than any browser sends. The time to judge an agent grows with its length. */
export const maxAgentLength = 512;

/** Judging an agent takes microseconds, so the result is kept by agent: at most about 1 MB. */
const known = new LRUCache<string, boolean>({max: 1000});

/** Office asks for a link in a document before the browser does, and its agents look like those of old browsers. */
const office = /ms-?office|microsoft office|\b(?:word|excel|powerpoint|onenote|outlook)\/\d/i;

/** The default of `countVisit`: bots, link previews, programs of Office and clients without `User-Agent` do not count. */
export function isNoBot({req}: {readonly req: {readonly headers: IncomingHttpHeaders}}): boolean {
  const agent = req.headers['user-agent'];
  if (agent === undefined || agent === '') return false;
  const isKnown = known.get(agent);
  if (isKnown !== undefined) return isKnown;
  const read = agent.slice(0, maxAgentLength);
  const isPerson = !isbot(read) && !office.test(read);
  if (agent.length <= maxAgentLength) known.set(agent, isPerson);
  return isPerson;
}
