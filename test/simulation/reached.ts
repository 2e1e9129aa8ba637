import {type KindName, kindOf} from '../../src/tools/kinds.ts';
import type {Action} from './plan.ts';
import type {Seen} from './seen.ts';
import type {Process} from './timeline.ts';

type Deed = Action['do'];

/** What a plan may be for, in the words of its requests and of the kinds of records. */
export type Coincidence =
  /** Between two commands of the second request on one key, the first one has written or read it. */
  | `${Deed} writes ${KindName} under ${Deed}`
  | `${Deed} reads ${KindName} under ${Deed}`
  /** The record was not, or no longer, as the request has taken it to be. Of a visit: its link, when its batch was stored. */
  | `${Deed} loses ${KindName}`
  /** Its process has died before the answer. */
  | `${Deed} dies after ${KindName}`
  /** A request has found what one has left whose process had died. */
  | `${Deed} finds ${KindName} of a dead ${Deed}`
  /** Its visit is in memory until the store answers. */
  | 'visit redirects in an outage';

/** A step of a command on the simulated server. */
export interface Step {
  /** Undefined for what no request has asked for. */
  readonly request: Seen | undefined;
  readonly process: Process;
  /** `records` or `counters` and a key, each; undefined for all. */
  readonly keys: readonly string[] | undefined;
  readonly isWrite: boolean;
  readonly result: unknown;
}

/** A step on one key. */
interface Touch extends Omit<Step, 'keys'> {
  readonly request: Seen;
  readonly kind: KindName;
  readonly isLost: boolean;
}

/** What has coincided in a run. */
export function reachedBy(steps: readonly Step[], seen: readonly Seen[]): ReadonlySet<Coincidence> {
  const reached = new Set<Coincidence>();
  for (const {isInOutage, followed} of seen) if (isInOutage && followed) reached.add('visit redirects in an outage');
  for (const touches of touchesByKey(steps).values()) addReached(reached, touches);
  return reached;
}

function touchesByKey(steps: readonly Step[]): ReadonlyMap<string, readonly Touch[]> {
  const byKey = new Map<string, Touch[]>();
  for (const {request, keys, ...step} of steps) {
    for (const key of request === undefined ? [] : (keys ?? [])) {
      const kind = kindOf(key.replace(/^\w+ s:/, ''))?.name;
      if (request === undefined || kind === undefined) continue;
      const own = byKey.get(key) ?? [];
      byKey.set(key, own);
      own.push({...step, request, kind, isLost: isLost(step, key)});
    }
  }
  return byKey;
}

/** A batch says of each of its links whether it was as the visitors had seen it. */
function isLost({isWrite, result}: Pick<Step, 'isWrite' | 'result'>, key: string): boolean {
  if (Array.isArray(result)) return key.startsWith('records') && result.includes(false);
  return isWrite && result === false;
}

function addReached(reached: Set<Coincidence>, touches: readonly Touch[]): void {
  const first = new Map<Seen, number>();
  const last = new Map<Seen, number>();
  for (const [index, {request}] of touches.entries()) {
    if (!first.has(request)) first.set(request, index);
    last.set(request, index);
  }
  for (const [index, {request, process, kind, isWrite, isLost: hasLost, result}] of touches.entries()) {
    const deed = request.do;
    if (hasLost) reached.add(`${deed} loses ${kind}`);
    const hasWritten = isWrite && !hasLost && !(Array.isArray(result) && kind === 'l');
    const isDead = hasWritten && process.isDead && request.code === undefined;
    if (isDead) reached.add(`${deed} dies after ${kind}`);
    for (const [other, end] of last) {
      if (other === request || end < index) continue;
      const isBetween = (first.get(other) ?? end) < index;
      if (isBetween) reached.add(`${deed} ${hasWritten ? 'writes' : 'reads'} ${kind} under ${other.do}`);
      else if (isDead) reached.add(`${other.do} finds ${kind} of a dead ${deed}`);
    }
  }
}
