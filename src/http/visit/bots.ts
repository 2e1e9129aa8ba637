import type {IncomingHttpHeaders} from 'node:http';
import {isbot} from 'isbot';
import {LRUCache} from 'lru-cache';

/** In characters: more than any browser sends. The time to judge an agent grows with its length. */
export const maxAgentLength = 512;

/** Judging an agent takes microseconds, so the result is kept by agent: at most about 1 MB. */
const known = new LRUCache<string, boolean>({max: 1000});

/** The default of `countVisit`: bots and link previews do not count. A client without `User-Agent` counts. */
export function isNoBot({req}: {readonly req: {readonly headers: IncomingHttpHeaders}}): boolean {
  const agent = req.headers['user-agent'];
  if (agent === undefined) return true;
  const isKnown = known.get(agent);
  if (isKnown !== undefined) return isKnown;
  const isPerson = !isbot(agent.slice(0, maxAgentLength));
  if (agent.length <= maxAgentLength) known.set(agent, isPerson);
  return isPerson;
}
