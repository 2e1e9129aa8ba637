import {isDeepStrictEqual} from 'node:util';
import {planted} from '../../planted.ts';
import {ShortUrlError} from '../../errors.ts';
import {reasonLine} from '../../link/broken.ts';
import type {Link} from '../../link/link.ts';
import {isSameLink, type LinkRecord} from '../../link/record.ts';
import {urlsIn} from '../../link/urls.ts';
import {describe} from '../../values/describe.ts';
import {object, optional} from '../../values/objects.ts';
import {choice} from '../../values/shape.ts';
import {applyChange, type ChangeServices} from './apply.ts';
import {withBlock} from './block.ts';
import {markBroken, unmarkBroken} from './broken.ts';

/** `ok`: the link may stay. `broken`: its destination is gone. `forbidden`: it must not be redirected to. */
export type CheckResult = 'ok' | 'broken' | 'forbidden';

/** What a check says of a link. The owner of the link sees the reason: 1 to 200 characters. */
export type CheckVerdict = CheckResult | {readonly result: CheckResult; readonly reason?: string | undefined};

export type Verdict = Exclude<CheckVerdict, string>;

export interface VerdictServices extends ChangeServices {
  /** Called before a link is blocked. */
  readonly onBlock: (link: LinkRecord) => Promise<void>;
}

export interface Applied {
  readonly link: Link;
  readonly result: CheckResult | 'changed';
}

/** Does what a result asks for, unless the link leads elsewhere by now. */
export async function applyVerdict(
  services: VerdictServices,
  seen: LinkRecord,
  link: Link,
  {result, reason}: Verdict,
): Promise<Applied> {
  const isMeant = (record: LinkRecord): boolean => {
    if (planted('verdict-of-old-url')) return true;
    return isSameLink(record, seen) && isDeepStrictEqual(urlsIn(record), urlsIn(seen));
  };

  try {
    if (result === 'forbidden') {
      await services.onBlock(seen);
      const withReason = withBlock(reason);
      const blocked = await applyChange(services, 'block', seen, (record) =>
        isMeant(record) ? withReason(record) : record,
      );
      return outcome(blocked.link, blocked.link.isBlocked === true);
    }
    if (result === 'broken') {
      const marked = await markBroken(services, seen, reason, isMeant);
      return outcome(marked, marked.broken !== null);
    }
    if (seen.broken === undefined) return {link, result};
    const unmarked = await unmarkBroken(services, seen, isMeant);
    return outcome(unmarked, unmarked.broken === null);
  } catch (error) {
    // The link was removed.
    if (error instanceof ShortUrlError && error.code === 'unknown_short_url') return {link, result: 'changed'};
    throw error;
  }

  function outcome(now: Link, isDone: boolean): Applied {
    return {link: now, result: isDone ? result : 'changed'};
  }
}

const checkResult = choice<CheckResult>(['ok', 'broken', 'forbidden']);
const verdict = object({result: checkResult, reason: optional(reasonLine)});

/** @throws TypeError for what is no result */
export function readVerdict(given: unknown): Verdict {
  const said = typeof given === 'string' ? {result: given} : given;
  if (verdict.holds(said)) return said;
  throw new TypeError(
    `Expected a check to return ${checkResult.expected}, or {result, reason} with ${reasonLine.expected}, got ${describe(given)}`,
  );
}
