/** The codes of what depends on how the servers of the machine are configured. */
export const ofServers: readonly string[] = [
  ...['no_persistence', 'snapshots_only', 'appendfsync_no', 'eviction'],
  ...['asynchronous_commit', 'unsafe_writes', 'small_packets', 'file_in_memory'],
];
