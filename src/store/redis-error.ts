import {asError} from './deadline.ts';
import {MissingPackageError} from './failure.ts';

/**
 * A failure without secrets. The errors of clients also carry the command with its arguments, which for `AUTH` is the
 * password, or the options of the connection. A server may repeat arguments in its message.
 */
export function redisError(thrown: unknown): Error {
  if (thrown instanceof MissingPackageError) return thrown;
  // The failure of the first address or server stands for the others.
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return redisError(thrown.errors[0]);
  const {message, code} = asError(thrown) as Error & {code?: unknown};
  const error = new Error(message.replace(/, with args beginning with:.*/s, ''));
  return typeof code === 'string' ? Object.assign(error, {code}) : error;
}

/** Whether the error is a server's reply, such as `NOSCRIPT …`, so that the connection works. */
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

/** Whether another server may accept the command: this one has become a replica, or lost its cluster. */
export function isMisplaced({message}: Error): boolean {
  return /^(READONLY|CLUSTERDOWN) /.test(message);
}
