import {constants} from 'node:fs';
import {access, statfs} from 'node:fs/promises';
import {dirname} from 'node:path';
import {advice, type Finding, problem} from '../findings.ts';
import type {Inspection} from '../port.ts';

/** Free space in bytes below which there is a problem, and below which there is advice. */
const neededSpace = 64 * 2 ** 20;
const wantedSpace = 2 ** 30;

/** Linux's numbers of file systems on which SQLite's locks and shared memory do not work. */
const networkTypes: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x00c36400, 'Ceph'],
  [0x01021997, '9p'],
]);

const inMemory: readonly number[] = [0x01021994, 0x858458f6];

/** The queries about the database. */
export interface SqliteFacts {
  readonly journalMode: string;
  readonly synchronous: number;
}

/**
 * @param ask runs queries and returns the first value of each
 * @param path an absolute path, or `:memory:`
 */
export async function inspectSqlite(
  ask: (texts: readonly string[]) => unknown[] | Promise<unknown[]>,
  path: string,
): Promise<Inspection> {
  const ofFile = path === ':memory:' ? [] : await inspectFile(path);
  try {
    const [version, journalMode, synchronous] = await ask([
      'select sqlite_version()',
      'pragma journal_mode',
      'pragma synchronous',
    ]);
    const ofDatabase = judgeDatabase({journalMode: String(journalMode), synchronous: Number(synchronous)});
    return {version: `SQLite ${String(version)}`, clockOffset: undefined, findings: [...ofFile, ...ofDatabase]};
  } catch (error) {
    // The reason is known, for example a file that cannot be opened.
    if (ofFile.length === 0) throw error;
    return {version: undefined, clockOffset: undefined, findings: ofFile};
  }
}

/** @param path an absolute path */
async function inspectFile(path: string): Promise<Finding[]> {
  const folder = dirname(path);
  const findings: Finding[] = [];
  for (const place of [path, folder]) {
    try {
      await access(place, constants.W_OK);
    } catch {
      const user = process.getuid?.();
      const message = `${place} cannot be written by this user${user === undefined ? '' : ` (${user})`}.`;
      findings.push(
        problem('not_writable', message, `chown ${user ?? '<user of the site>'} '${place}' && chmod u+w '${place}'`),
      );
      break;
    }
  }
  const {type, bavail, bsize} = await statfs(folder);
  const network = networkTypes.get(type);
  if (network !== undefined) {
    const message = `The file is on a network file system (${network}), where processes corrupt each other's writes.`;
    findings.push(
      problem('network_file_system', message, 'Move the file to a local disk, or use Redis, Postgres or MySQL.'),
    );
  }
  if (inMemory.includes(type)) {
    const message = 'The file is on a file system in memory, which a restart of the machine empties.';
    findings.push(advice('file_in_memory', message, 'Move the file to a disk.'));
  }
  const free = bavail * bsize;
  if (free < wantedSpace) {
    const message = `The disk has ${Math.floor(free / 2 ** 20)} MB left. When it is full, creates and visits are refused.`;
    findings.push(
      (free < neededSpace ? problem : advice)('little_space', message, `Free space on the disk of '${folder}'.`),
    );
  }
  return findings;
}

export function judgeDatabase({journalMode, synchronous}: SqliteFacts): Finding[] {
  const findings: Finding[] = [];
  if (journalMode !== 'wal') {
    const message = `The journal mode is ${journalMode}: readers and writers wait for each other.`;
    findings.push(problem('journal_mode', message, 'pragma journal_mode = wal;'));
  }
  if (synchronous < 2) {
    const message = 'Commits are not flushed to the disk: a crash of the machine loses them.';
    findings.push(problem('asynchronous_commit', message, 'pragma synchronous = full;'));
  }
  return findings;
}
