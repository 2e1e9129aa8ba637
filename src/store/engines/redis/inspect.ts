import {asError} from '../../failing/deadline.ts';
import {advice, type Finding, isAtLeast, offsetOf, problem} from '../../findings.ts';
import type {Inspection} from '../../port.ts';
import {isReply} from './connection.ts';
import {clockOf, type RedisMaster} from './masters.ts';

/** The lowest version with all commands: since then `SCAN` accepts a type. */
const lowestVersion = '6.0';

/** The facts of a server by their names; undefined for an unknown one. */
type Facts = Readonly<Record<string, string | undefined>>;

/** Inspects the servers with keys. Managed servers often refuse `CONFIG`, and a user may lack the right to `INFO`. */
export async function inspectRedis(masters: readonly RedisMaster[], isCluster: boolean): Promise<Inspection> {
  const offsets: number[] = [];
  const findings = new Map<string, Finding>();
  let version: string | undefined;
  for (const master of masters) {
    const info = async (...command: string[]): Promise<Facts> => parse(await master.send(command));
    const refused: string[] = [];
    const facts = {
      ...(await visible('INFO', refused, () => info('INFO'))),
      ...(await visible('CONFIG', refused, () => readSettings(master))),
      ...(isCluster && (await visible('CLUSTER INFO', refused, () => info('CLUSTER', 'INFO')))),
    };
    const named = facts['valkey_version'] ?? facts['redis_version'];
    version ??= named && `${facts['valkey_version'] === undefined ? 'Redis' : 'Valkey'} ${named}`;
    offsets.push(await offsetOf(() => clockOf(master)).catch(() => 0));
    for (const finding of [...ofRefused(refused), ...ofPersistence(facts), ...ofServer(facts, isCluster)]) {
      const node = masters.length > 1 ? `Node ${master.name}: ` : '';
      if (!findings.has(finding.code)) findings.set(finding.code, {...finding, message: node + finding.message});
    }
  }
  const clockOffset = offsets.reduce((one, other) => (Math.abs(other) > Math.abs(one) ? other : one), 0);
  return {version, clockOffset, findings: Array.from(findings.values())};
}

function ofRefused(commands: readonly string[]): Finding[] {
  if (commands.length === 0) return [];
  const message = `The server refuses ${commands.join(' and ')}, so the check cannot see all settings.`;
  const remedy =
    'Make sure that it keeps an append-only file, that appendfsync is everysec or always, and that it evicts no keys.';
  return [advice('settings_not_visible', message, remedy)];
}

function ofServer(facts: Facts, isCluster: boolean): Finding[] {
  const findings: Finding[] = [];
  const named = facts['redis_version'];
  if (named !== undefined && !isAtLeast(named, lowestVersion)) {
    const message = `Redis ${named} lacks commands that are used.`;
    findings.push(problem('old_version', message, `Upgrade to Redis ${lowestVersion} or later.`));
  }
  if (facts['role'] === 'slave') {
    const message = 'The server is a replica: it takes no writes.';
    const master = facts['master_host'] ? `, ${facts['master_host']}:${facts['master_port']}` : '';
    findings.push(problem('replica', message, `Give the address of the master${master}.`));
  }
  if (facts['cluster_enabled'] === '1' && !isCluster) {
    const message = 'The server is a node of a cluster, and it is used like a single server.';
    const remedy = 'Begin the connection string with redis+cluster: and name some of its nodes.';
    findings.push(problem('cluster_mode', message, remedy));
  }
  const state = facts['cluster_state'];
  if (state !== undefined && state !== 'ok') {
    const message = `The cluster is not complete: its state is ${state}.`;
    findings.push(problem('cluster_state', message, 'redis-cli --cluster check, then --cluster fix'));
  }
  const {maxmemory_policy: policy = 'noeviction', maxmemory = '0'} = facts;
  if (policy !== 'noeviction' && maxmemory !== '0') {
    const [severity, evicted] = policy.startsWith('allkeys-')
      ? [problem, 'links, accounts and counters']
      : [
          advice,
          'what keeps a visit or an order from being counted twice, and a repeated create from making a second link',
        ];
    const message = `The policy ${policy} evicts ${evicted}, when the memory is full.`;
    findings.push(severity('eviction', message, 'CONFIG SET maxmemory-policy noeviction, and the same in redis.conf'));
  }
  return findings;
}

function ofPersistence(facts: Facts): Finding[] {
  const findings: Finding[] = [];
  if (facts['aof_enabled'] === '0' && facts['save'] !== undefined) {
    const remedy = 'CONFIG SET appendonly yes, and `appendonly yes` in redis.conf';
    if (facts['save'] === '') {
      const message = 'Nothing is saved to disk: a restart of the server forgets every link.';
      findings.push(problem('no_persistence', message, remedy));
    } else {
      const message = 'Only snapshots are saved: a crash of the server loses everything after the last one.';
      findings.push(advice('snapshots_only', message, remedy));
    }
  }
  if (facts['aof_enabled'] === '1' && facts['appendfsync'] === 'no') {
    const message = 'The append-only file is not flushed: a crash of the machine loses up to half a minute.';
    findings.push(problem('appendfsync_no', message, 'CONFIG SET appendfsync everysec, and the same in redis.conf'));
  }
  const failed = ['rdb_last_bgsave_status', 'aof_last_write_status', 'aof_last_bgrewrite_status'].filter(
    (name) => facts[name] === 'err',
  );
  if (failed.length > 0) {
    const message = `The last save to disk failed (${failed.join(', ')}).`;
    findings.push(problem('save_failed', message, "Read the server's log, and free space on its disk."));
  }
  return findings;
}

/** The facts that a command reads. A refused command is added to `refused`. */
async function visible(command: string, refused: string[], read: () => Promise<Facts>): Promise<Facts> {
  try {
    return await read();
  } catch (error) {
    if (!isReply(asError(error))) throw error;
    refused.push(command);
    return {};
  }
}

async function readSettings(master: RedisMaster): Promise<Facts> {
  const settings: Record<string, string> = {};
  for (const name of ['save', 'appendfsync']) {
    const [, value] = (await master.send(['CONFIG', 'GET', name])) as readonly string[];
    if (value !== undefined) settings[name] = value;
  }
  return settings;
}

function parse(reply: unknown): Facts {
  const fields = String(reply).matchAll(/^(\w+):(.*?)\r?$/gm);
  return Object.fromEntries(Array.from(fields, ([, name = '', value]) => [name, value]));
}
