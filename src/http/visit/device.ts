import {LRUCache} from 'lru-cache';
import type {Rule} from '../../link/link.ts';
import {maxAgentLength} from './bots.ts';

export type Device = NonNullable<Rule['device']>;

/** By agent, because visitors have few different ones. */
const known = new LRUCache<string, {readonly device: Device | undefined}>({max: 1000});

/** By the words that browsers use. An iPad that requests desktop pages counts as a desktop. */
export function deviceOf(agent: string): Device | undefined {
  const found = known.get(agent);
  if (found !== undefined) return found.device;
  const device = readDevice(agent.slice(0, maxAgentLength));
  if (agent.length <= maxAgentLength) known.set(agent, {device});
  return device;
}

function readDevice(agent: string): Device | undefined {
  if (/windows phone/i.test(agent)) return undefined;
  if (/\b(?:iPhone|iPad|iPod)\b/.test(agent)) return 'ios';
  if (/\bAndroid\b/.test(agent)) return 'android';
  return /\b(?:Windows NT|Macintosh|X11|CrOS)\b/.test(agent) ? 'desktop' : undefined;
}
