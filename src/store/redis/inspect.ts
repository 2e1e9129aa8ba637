import {asError} from '../failing/deadline.ts';
import {advice, type Finding, isAtLeast, offsetOf, problem} from '../findings.ts';
import type {Inspection} from '../port.ts';
import type {RedisMaster} from './masters.ts';

/** The lowest version with all commands: since then `SCAN` accepts a type. */
const lowestVersion = '6.0';

/** The share of `maxmemory` above which the operator should act. */
const nearlyFull = 0.8;

/** Every process has one connection, and two for a moment when it replaces one. */
const fewClients = 100;

type Send = (command: readonly string[]) => Promise<unknown>;

type Facts = Readonly<Record<string, string | undefined>>;

/** The configuration of a server; undefined for unknown values. */
type Settings = Facts | undefined;

/**
 * Inspects the servers with keys. It reads `INFO` where possible, because managed servers often refuse `CONFIG`.
 */
export async function inspectRedis(masters: readonly RedisMaster[], isCluster: boolean): Promise<Inspection> {
  const offsets: number[] = [];
  const findings = new Map<string, Finding>();
  let version: string | undefined;
  for (const master of masters) {
    const {name} = master;
    const send: Send = (command) => master.send(command);
    const {facts, missing} = await readFacts(send);
    const settings = await readSettings(send);
    const named = facts['valkey_version'] ?? facts['redis_version'];
    version ??= named && `${facts['valkey_version'] === undefined ? 'Redis' : 'Valkey'} ${named}`;
    offsets.push(await offsetOf(() => readTime(send)).catch(() => 0));
    const all = [
      ...missing,
      ...ofServer(facts, isCluster),
      ...ofPersistence(facts, settings),
      ...ofMemory(facts),
      ...ofConnections(facts, settings),
      ...(isCluster ? await ofCluster(send) : []),
    ];
    for (const finding of all) {
      const node = masters.length > 1 ? `Node ${name}: ` : '';
      if (!findings.has(finding.code)) {
        findings.set(finding.code, {...finding, message: node + finding.message});
      }
    }
  }
  const clockOffset = offsets.reduce((one, other) => (Math.abs(other) > Math.abs(one) ? other : one), 0);
  return {version, clockOffset, findings: Array.from(findings.values())};
}

function ofServer(facts: Facts, isCluster: boolean): Finding[] {
  const findings: Finding[] = [];
  const named = facts['redis_version'];
  if (named !== undefined && !isAtLeast(named, lowestVersion)) {
    findings.push(
      problem(
        'old_version',
        `Redis ${named} lacks commands that are used.`,
        `Upgrade to Redis ${lowestVersion} or later.`,
      ),
    );
  }
  if (facts['role'] === 'slave') {
    findings.push(
      problem(
        'replica',
        'The server is a replica: it takes no writes.',
        `Give the address of the master${facts['master_host'] ? `, ${facts['master_host']}:${facts['master_port']}` : ''}.`,
      ),
    );
  }
  if (facts['cluster_enabled'] === '1' && !isCluster) {
    findings.push(
      problem(
        'cluster_mode',
        'The server is a node of a cluster, and it is used like a single server.',
        'Begin the connection string with redis+cluster: and name some of its nodes.',
      ),
    );
  }
  return findings;
}

function ofPersistence(facts: Facts, settings: Settings): Finding[] {
  const hasLog = facts['aof_enabled'] === '1';
  const findings: Finding[] = [];
  if (facts['aof_enabled'] !== undefined && !hasLog) {
    const remedy = 'CONFIG SET appendonly yes, and `appendonly yes` in redis.conf';
    if (settings?.['save'] === undefined) {
      const message =
        'The append-only file is off. The server refuses CONFIG, so the check cannot see whether snapshots are saved.';
      findings.push(
        advice('persistence_not_visible', message, 'Turn on persistence in the settings of the managed server.'),
      );
    } else if (settings['save'] === '') {
      const message = 'Nothing is saved to disk: a restart of the server forgets every link.';
      findings.push(problem('no_persistence', message, remedy));
    } else {
      const message = 'Only snapshots are saved: a crash of the server loses everything after the last one.';
      findings.push(advice('snapshots_only', message, remedy));
    }
  }
  if (hasLog && settings?.['appendfsync'] === 'no') {
    const message = 'The append-only file is not flushed: a crash of the machine loses up to half a minute.';
    findings.push(problem('appendfsync_no', message, 'CONFIG SET appendfsync everysec, and the same in redis.conf'));
  } else if (hasLog && settings?.['appendfsync'] === undefined) {
    const message = 'The server refuses CONFIG, so the check cannot see how often the append-only file is flushed.';
    findings.push(advice('appendfsync_not_visible', message, 'Make sure that appendfsync is everysec or always.'));
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

function ofMemory(facts: Facts): Finding[] {
  const {
    maxmemory_policy: policy = 'noeviction',
    maxmemory = '0',
    used_memory: used = '0',
    evicted_keys: evicted,
  } = facts;
  const remedy = 'CONFIG SET maxmemory-policy noeviction, and the same in redis.conf';
  const findings: Finding[] = [];
  if (policy.startsWith('allkeys-') && maxmemory !== '0') {
    const message = `The policy ${policy} evicts links when the memory is full.`;
    findings.push(problem('eviction', message, remedy));
  } else if (policy.startsWith('allkeys-')) {
    const message = `The policy ${policy} evicts links if maxmemory is set.`;
    findings.push(advice('eviction', message, remedy));
  } else if (policy !== 'noeviction' && maxmemory !== '0') {
    const message = `The policy ${policy} may evict the records of the last batches, and then a visit may be counted twice.`;
    findings.push(advice('eviction', message, remedy));
  }
  if (Number(evicted) > 0) {
    const message = `The server has evicted ${evicted} keys since it was started, perhaps links.`;
    findings.push(advice('evicted', message, 'Restore a backup if links are missing.'));
  }
  if (Number(maxmemory) > 0 && Number(used) > nearlyFull * Number(maxmemory)) {
    const share = Math.round((100 * Number(used)) / Number(maxmemory));
    const message = `${share} % of maxmemory are used. When it is full, creates and visits are refused.`;
    findings.push(advice('memory_nearly_full', message, 'CONFIG SET maxmemory to more, or use a larger server.'));
  }
  return findings;
}

function ofConnections(facts: Facts, settings: Settings): Finding[] {
  const findings: Finding[] = [];
  const timeout = Number(settings?.['timeout'] ?? 0);
  if (timeout > 0) {
    const message = `The server closes connections that are idle for ${timeout} seconds, so visitors wait for a new one.`;
    findings.push(advice('idle_timeout', message, 'CONFIG SET timeout 0, and `timeout 0` in redis.conf'));
  }
  const {maxclients = settings?.['maxclients'], connected_clients: connected = '0'} = facts;
  const most = Number(maxclients ?? Infinity);
  if (most < fewClients || Number(connected) > nearlyFull * most) {
    const message = `The server accepts ${most} connections, and ${connected} are open. Further ones are refused.`;
    findings.push(advice('few_connections', message, 'CONFIG SET maxclients 10000, and the same in redis.conf'));
  }
  return findings;
}

async function ofCluster(send: Send): Promise<Finding[]> {
  try {
    const {cluster_state: state} = parse(String(await send(['CLUSTER', 'INFO'])));
    if (state === 'ok') return [];
    const message = `The cluster is not complete: its state is ${state}.`;
    return [problem('cluster_state', message, 'redis-cli --cluster check, then --cluster fix')];
  } catch (error) {
    return [notVisible('cluster_not_visible', 'CLUSTER INFO', error)];
  }
}

async function readFacts(send: Send): Promise<{facts: Facts; missing: Finding[]}> {
  try {
    return {facts: parse(String(await send(['INFO']))), missing: []};
  } catch (error) {
    return {facts: {}, missing: [notVisible('info_not_visible', 'INFO', error)]};
  }
}

/** Managed servers refuse or rename `CONFIG`. */
async function readSettings(send: Send): Promise<Settings> {
  const settings: Record<string, string> = {};
  try {
    for (const name of ['save', 'appendfsync', 'timeout', 'maxclients']) {
      const [, value] = (await send(['CONFIG', 'GET', name])) as readonly string[];
      if (value !== undefined) settings[name] = value;
    }
  } catch (error) {
    if (isReply(error)) return undefined;
    throw error;
  }
  return settings;
}

async function readTime(send: Send): Promise<number> {
  const [seconds, micros] = (await send(['TIME'])) as [unknown, unknown];
  return Number(seconds) * 1000 + Number(micros) / 1000;
}

function parse(text: string): Facts {
  return Object.fromEntries(Array.from(text.matchAll(/^(\w+):(.*?)\r?$/gm), ([, name = '', value]) => [name, value]));
}

function notVisible(code: string, command: string, error: unknown): Finding {
  if (!isReply(error)) throw error;
  const message = `The server refuses ${command}, so the check is incomplete.`;
  return advice(code, message, `ACL SETUSER <user> +${command.toLowerCase().replace(' ', '|')}`);
}

/** Whether the server has answered, though with an error. */
function isReply(error: unknown): boolean {
  return /^[A-Z]{2,} /.test(asError(error).message);
}
