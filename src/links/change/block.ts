import {reasonLine} from '../../link/broken.ts';
import type {Link} from '../../link/link.ts';
import {type LinkRecord, present} from '../../link/record.ts';
import {applyChange, type ChangeServices} from './apply.ts';
import {reader, readOptions} from '../../values/input.ts';

/** The details of a block by the operator. */
export interface Block {
  /** Shown to the owner: 1 to 200 characters. */
  readonly reason?: string | undefined;
}

/** @throws ShortUrlError `malformed_parameter` or `unknown_parameter` */
export function readBlock(block: unknown): string | undefined {
  return readOptions(block, 'A block is made with', {reason: reader(reasonLine, 'reason')}).reason;
}

/** Blocks a link for the site's operator. A blocked link stays blocked, and gets the new reason, if there is one. */
export async function block(services: ChangeServices, found: LinkRecord, reason?: string): Promise<Link> {
  return (await applyChange(services, 'block', found, withBlock(reason))).link;
}

export function withBlock(reason: string | undefined): (record: LinkRecord) => LinkRecord {
  return (record) => ({...record, isBlocked: true, ...(reason !== undefined && {blockReason: reason})});
}

/** Unblocks a link and restores the state that its account gave it. Any other link stays as it is. */
export async function unblock(services: ChangeServices, found: LinkRecord): Promise<Link> {
  const {link} = await applyChange(services, 'unblock', found, (record) =>
    record.isBlocked ? present({...record, isBlocked: undefined, blockReason: undefined}) : record,
  );
  return link;
}
