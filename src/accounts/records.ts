import {object, optional} from '../values/objects.ts';
import {anyText, text} from '../values/shape.ts';
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

export const accountPointers = kind('accounts', {
  keys: ['accounts:<position>'],
  content: 'a pointer to an account',
  key: (position: number) => [String(position)],
  form: object({account: text}),
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

/** Only an account's name leads to its record: the key has a keyed digest of the name. */
export const blockRecords = kind('block', {
  keys: ['block:<digest>'],
  content: 'the block of an account that was removed',
  digest: 'lasting',
  key: (digest: string) => [digest],
  form: object({reason: optional(anyText)}),
  removed: 'never',
});
