import test from 'ava';
import {inspectRedis} from '../../../../../src/store/engines/redis/inspect.ts';
import type {RedisMaster} from '../../../../../src/store/engines/redis/masters.ts';

const noRight = new Error("NOPERM this user has no permissions to run the 'config' command");

/** A server that answers so; an error stands for a refusal. */
function server(info: Record<string, string>, more: Readonly<Record<string, unknown>> = {}, name = ''): RedisMaster {
  const answers: Record<string, unknown> = {
    INFO: Object.entries({redis_version: '7.0.15', role: 'master', aof_enabled: '1', ...info})
      .map(([field, value]) => `${field}:${value}\r\n`)
      .join(''),
    TIME: [String(Math.floor(Date.now() / 1000)), '0'],
    'CONFIG GET save': ['save', ''],
    'CONFIG GET appendfsync': ['appendfsync', 'everysec'],
    'CLUSTER INFO': 'cluster_state:ok\r\n',
    ...more,
  };
  return {
    name,
    send(command) {
      const answer = answers[command.join(' ')];
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  };
}

async function codesOf(...masters: RedisMaster[]): Promise<string[]> {
  return (await inspectRedis(masters, masters.length > 1)).findings.map(({severity, code}) => `${severity} ${code}`);
}

test('a server that keeps everything has no findings, whatever protocol its client speaks', async (t) => {
  t.deepEqual(await codesOf(server({})), []);
  t.is((await inspectRedis([server({})], false)).version, 'Redis 7.0.15');
  t.is((await inspectRedis([server({valkey_version: '8.1.0'})], false)).version, 'Valkey 8.1.0');
});

test('a setting that would lose links is a problem, and one that may do so later is advice', async (t) => {
  const cases: ReadonlyArray<readonly [Record<string, string>, Record<string, unknown>, string]> = [
    [{redis_version: '5.0.9'}, {}, 'problem old_version'],
    [{aof_enabled: '0'}, {}, 'problem no_persistence'],
    [{aof_enabled: '0'}, {'CONFIG GET save': ['save', '3600 1']}, 'advice snapshots_only'],
    [{aof_enabled: '0'}, {'CONFIG GET save': noRight}, 'advice settings_not_visible'],
    [{}, {'CONFIG GET appendfsync': noRight}, 'advice settings_not_visible'],
    [{}, {'CONFIG GET appendfsync': ['appendfsync', 'no']}, 'problem appendfsync_no'],
    [{aof_last_write_status: 'err'}, {}, 'problem save_failed'],
    [{maxmemory: '100', maxmemory_policy: 'allkeys-lfu'}, {}, 'problem eviction'],
    [{maxmemory: '100', maxmemory_policy: 'volatile-ttl'}, {}, 'advice eviction'],
    [{}, {INFO: noRight}, 'advice settings_not_visible'],
    [{role: 'slave'}, {}, 'problem replica'],
    [{cluster_enabled: '1'}, {}, 'problem cluster_mode'],
  ];
  for (const [info, more, expected] of cases) t.deepEqual(await codesOf(server(info, more)), [expected], expected);
});

test('every node of a cluster is inspected, and the node is named', async (t) => {
  const down = server({aof_enabled: '0'}, {'CLUSTER INFO': 'cluster_state:fail\r\n'}, '10.0.0.2:6379');
  const report = await inspectRedis([server({cluster_enabled: '1'}, {}, '10.0.0.1:6379'), down, down], true);
  t.deepEqual(
    report.findings.map(({code, message}) => [code, message.startsWith('Node 10.0.0.2:6379: ')]),
    [
      ['no_persistence', true],
      ['cluster_state', true],
    ],
  );
});
