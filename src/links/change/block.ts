import {readFields} from '../../values/input.ts';
import {reader} from '../../values/shape.ts';
import {line} from '../../values/shapes.ts';

/** The details of a block by the operator. */
export interface Block {
  /** Shown to the owner: 1 to 200 characters. */
  readonly reason?: string | undefined;
}

export const blockReason = line(200);

/** @throws ShortUrlError `malformed_parameter` or `unknown_parameter` */
export function readBlock(block: unknown): string | undefined {
  return readFields(block, 'A block is made with', {reason: reader(blockReason, 'reason')}).reason;
}
