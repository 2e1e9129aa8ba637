import {either, object} from '../values/objects.ts';
import {type Shape} from '../values/shape.ts';
import {text} from '../values/shapes.ts';
import {counters, kind} from '../store/kind.ts';
import {accountForm} from './record.ts';

export const accountRecords = kind('account', {
  keys: ['account:<account>'],
  content: 'an account: generation, key digests, sealed key, creation time, blocks',
  key: (id: string) => [id],
  form: accountForm,
  idOf: ({id}) => id,
  removed: 'by key',
  ofAccount: ({id}) => [id],
  isLast: true,
});

/** It has one of the two. */
const pointerForm: Shape<{readonly account?: string; readonly block?: string}> = either(
  (pointer) => 'block' in pointer,
  object({block: text}),
  object({account: text}),
);

/** What is at each position: an account, or the block of a removed one, by the digest in its key. */
export const accountPointers = kind('accounts', {
  keys: ['accounts:<position>'],
  content: 'a pointer to an account, or to the block of one that was removed',
  key: (position: number) => [String(position)],
  form: pointerForm,
  removed: 'by key',
  ofAccount: ({position}) => [position],
  isLast: true,
});

/** The positions in the indexes of links of accounts, by generation. */
export const linkPositions = counters('positions', {
  keys: ['positions:<generation>'],
  content: "the last position in the account's index of links",
  key: (generation: string) => [generation],
  removed: 'by key',
  ofAccount: ({generation}) => [generation],
});
