import {minSecretLength, Seal} from '../../accounts/seal.ts';
import {sampleKeys} from '../../accounts/sealed-keys.ts';
import {isUnavailable} from '../../errors.ts';
import {Bases} from '../../link/bases.ts';
import type {StoreOption} from '../../store/opening/option.ts';
import {advice, type Finding, problem} from '../../store/findings.ts';
import type {ToolStore} from '../../store/port.ts';
import {flag} from '../../values/shape.ts';
import {explain} from '../../warnings.ts';
import {checkContent, damagedRecords, isFound} from './check-content.ts';
import {tryOperations} from './check-operations.ts';
import {openTool, type ToolOptions} from '../open.ts';
import {checkToolOptions} from '../options.ts';
import {type Secrets, whenToDrop} from '../secrets.ts';

export interface CheckOptions extends ToolOptions {
  /** A connection string, what the site has open, a Keyv instance or a Keyv storage adapter. */
  readonly store: StoreOption;
  /** The secrets of the site. Without them API keys are not checked. */
  readonly secret?: Secrets | undefined;
  /** The `baseUrl` of the site. Without it the domains of links are not checked. */
  readonly baseUrl?: string | undefined;
  /** The `baseDomains` of the site. */
  readonly baseDomains?: readonly string[] | undefined;
  /**
   * Whether to remove counters and references without a link, which killed processes leave behind, to complete lists, to
   * finish removals of accounts, and to repair damaged sequences. Do not set it while a copy or an import runs.
   * @default false
   */
  readonly clean?: boolean | undefined;
  /**
   * How long one operation of the store may take, in milliseconds.
   * @default 5000
   */
  readonly storeTimeout?: number | undefined;
}

export interface CheckReport {
  /** True if no finding is a problem. */
  readonly ok: boolean;
  /** `sqlite`, `redis`, `postgres`, `mysql`, `memory`, or `keyv` for any other Keyv adapter. */
  readonly engine: string;
  /** The name and version of the engine, such as `Redis 7.0.15`; null if it is unknown. */
  readonly version: string | null;
  /** Problems first. */
  readonly findings: readonly Finding[];
}

const defaultTimeout = 5000;

/** The maximum accepted difference between the clocks, in milliseconds. */
const maxOffset = 1000;

/**
 * Reports what would harm a site on this store. It writes a few records to test its rights, and removes them.
 *
 * @throws TypeError for a wrong option; ToolError `nothing_there` for a file that does not exist
 * @example
 * const {findings} = await checkStore({store: 'redis://localhost:6379'});
 * for (const {severity, message} of findings) console.log(severity, message);
 */
export async function checkStore(options: CheckOptions): Promise<CheckReport> {
  checkToolOptions(options, {clean: flag});
  const {namespace, baseUrl, baseDomains = [], clean = false, storeTimeout = defaultTimeout} = options;
  const domains = baseUrl === undefined ? undefined : new Bases(baseUrl, baseDomains).domains;
  const secrets = options.secret === undefined ? undefined : [options.secret].flat();
  const {store, unreadable} = openTool(options.store, {namespace, storeTimeout, mustExist: true});
  const findings: Finding[] = [];
  let version: string | undefined;
  try {
    const inspection = await store.inspect();
    version = inspection.version;
    findings.push(...inspection.findings, ...ofClock(inspection.clockOffset), ...ofGuarantee(store));
    findings.push(...(await tryOperations(store)));
    if (findings.every(({code}) => code !== 'other_format')) {
      const ofContent = await checkContent(store, unreadable, {domains, isCleaned: clean});
      const areRead = secrets !== undefined && !isFound(damagedRecords, ofContent);
      findings.push(...(areRead ? await checkKeys(store, secrets) : []), ...ofContent);
    }
  } catch (error) {
    findings.push(ofFailure(error));
  } finally {
    await store.close();
  }
  findings.unshift(...ofSecrets(secrets));
  return {
    ok: findings.every(({severity}) => severity !== 'problem'),
    engine: store.engine,
    version: version ?? null,
    findings: findings.sort(bySeverity),
  };
}

async function checkKeys(store: ToolStore, secrets: readonly string[]): Promise<Finding[]> {
  const {keys, opened, openedByFirst} = await sampleKeys(store, new Seal(secrets));
  const remedy = 'Add the old secret of the site: secret: [newSecret, oldSecret]';
  if (opened === keys) return keys === 0 || secrets.length === 1 ? [] : [ofOldSecrets(keys - openedByFirst, keys)];
  if (opened === 0) {
    const message = `No secret decrypts any of ${keys} API keys in the store, so the site cannot show them.`;
    return [problem('wrong_secret', message, remedy)];
  }
  const message = `The secrets decrypt ${opened} of ${keys} checked API keys. The site cannot show the others.`;
  return [problem('unopened_keys', message, remedy)];
}

function ofOldSecrets(old: number, keys: number): Finding {
  const message = `${old} of ${keys} checked API keys are encrypted with an old secret.`;
  const remedy = 'When every process has [newSecret, oldSecret]: koa-short-url reseal';
  return advice('old_secrets', message, old > 0 ? remedy : whenToDrop);
}

function ofSecrets(secrets: readonly string[] | undefined): Finding[] {
  if (secrets === undefined || secrets.every(({length}) => length >= minSecretLength)) return [];
  const message = `${secrets.length === 1 ? 'The secret' : 'One of the secrets'} has fewer than ${minSecretLength} characters: the site refuses to start.`;
  return [problem('short_secret', message, 'openssl rand -hex 32')];
}

function ofClock(offset: number | undefined): Finding[] {
  if (offset === undefined || Math.abs(offset) <= maxOffset) return [];
  const seconds = (Math.abs(offset) / 1000).toFixed(1);
  const message =
    `The clock of the store's server is ${seconds} seconds ${offset > 0 ? 'ahead of' : 'behind'} that of this machine: ` +
    'dates, expiry and limits are wrong by that much on one of them.';
  return [problem('clock_off', message, 'timedatectl set-ntp true, on both machines')];
}

function ofGuarantee({guarantee}: ToolStore): Finding[] {
  if (guarantee === 'store') return [];
  const message = 'This store is exact in one process only.';
  const remedy = 'Run one process, or use a connection string of Redis, Postgres, MySQL or SQLite.';
  return [advice('one_process', message, remedy)];
}

/** @throws errors that are not failures of the store */
function ofFailure(error: unknown): Finding {
  if (!isUnavailable(error)) throw error;
  const {packageName, code} = (error.cause ?? {}) as {packageName?: unknown; code?: unknown};
  if (code === 'SLOTS_MOVING') {
    const remedy = 'Wait until the move has ended, or end it: redis-cli --cluster fix';
    return problem('slots_moving', explain(error), remedy);
  }
  if (typeof packageName === 'string') return problem('missing_package', error.message, `npm install ${packageName}`);
  const remedy = 'Check the address, the user and the password in the connection string, and whether the server runs.';
  return problem('no_answer', explain(error), remedy);
}

function bySeverity(one: Finding, other: Finding): number {
  return Number(one.severity !== 'problem') - Number(other.severity !== 'problem');
}
