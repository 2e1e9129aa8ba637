import {readFields} from '../../link/readers.ts';
import {line} from '../../link/shapes.ts';

/** The details of a block by the operator. */
export interface Block {
  /** Shown to the owner: 1 to 200 characters. */
  readonly reason?: string | undefined;
}

export const blockReason = line(200);

/** @throws ShortUrlError `malformed_parameter` or `unknown_parameter` */
export function readBlock(block: unknown): string | undefined {
  return readFields(block, 'A block is made with', {reason: blockReason.reader('reason')}).reason;
}
