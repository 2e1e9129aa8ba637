import {counters} from '../../store/kind.ts';

export const totalsShards = 8;

export const accountTotals = counters('totals', {
  keys: ['totals:<generation>:<0 to 7>'],
  content: 'the same over all links of an account, in eight shards',
  key: ({generation, shard}: {readonly generation: string; readonly shard: number}) => [generation, String(shard)],
  removed: 'by key',
  ofAccount: ({generation}) => shardsOf(generation),
});

export const totalsKeys = (generation: string): string[] => shardsOf(generation).map(accountTotals.key);

export function shardsOf(generation: string): Array<{readonly generation: string; readonly shard: number}> {
  return Array.from({length: totalsShards}, (_, shard) => ({generation, shard}));
}
