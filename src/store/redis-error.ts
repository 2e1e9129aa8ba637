import {asError} from './deadline.ts';
import {MissingPackageError} from './failure.ts';

/**
 * A failure as it may leave this folder. The errors of clients carry the command with its arguments, which for `AUTH`
 * is the password, or the options of the connection; a server may repeat arguments in its message.
 */
export function redisError(thrown: unknown): Error {
  if (thrown instanceof MissingPackageError) return thrown;
  // One of several addresses or servers stands for all.
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return redisError(thrown.errors[0]);
  const {message, code} = asError(thrown) as Error & {code?: unknown};
  const error = new Error(message.replace(/, with args beginning with:.*/s, ''));
  return typeof code === 'string' ? Object.assign(error, {code}) : error;
}

/** Whether a server that can be reached answered with this error, as with `NOSCRIPT …`. */
export function isReply({message}: Error): boolean {
  return /^[A-Z]{2,} /.test(message);
}

/**
 * Whether a cluster refused the command because its keys are being moved to another node. The second message is
 * iovalkey's, after several such refusals.
 */
export function isMoving({message}: Error): boolean {
  return /^(TRYAGAIN |Too many Cluster redirections)/.test(message);
}

/** Whether another server may take what this one refused: it is a replica by now, or its cluster has lost it. */
export function isMisplaced({message}: Error): boolean {
  return /^(READONLY|CLUSTERDOWN) /.test(message);
}
