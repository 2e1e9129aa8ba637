/** The codes of what depends on how the servers of the machine are configured. */
export const ofServers: readonly string[] = [
  'no_autovacuum',
  ...['no_persistence', 'snapshots_only', 'appendfsync_no', 'eviction', 'evicted', 'memory_nearly_full'],
  ...['asynchronous_commit', 'unsafe_writes', 'small_packets', 'little_space', 'file_in_memory'],
];
