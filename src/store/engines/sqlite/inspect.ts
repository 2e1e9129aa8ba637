import {constants} from 'node:fs';
import {access, statfs} from 'node:fs/promises';
import {dirname} from 'node:path';
import {advice, type Finding, problem} from '../../findings.ts';
import type {Inspection} from '../../port.ts';

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

/**
 * @param readVersion asks the database for its version and the name of its client
 * @param path an absolute path, or `:memory:`
 */
export async function inspectSqlite(readVersion: () => Promise<string>, path: string): Promise<Inspection> {
  const findings = path === ':memory:' ? [] : await inspectFile(path);
  try {
    return {version: `SQLite ${await readVersion()}`, clockOffset: undefined, findings};
  } catch (error) {
    // The reason is known, for example a file that cannot be opened.
    if (findings.length === 0) throw error;
    return {version: undefined, clockOffset: undefined, findings};
  }
}

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
  const {type} = await statfs(folder);
  const network = networkTypes.get(type);
  if (network !== undefined) {
    const message = `The file is on a network file system (${network}), where processes corrupt each other's writes.`;
    const remedy = 'Move the file to a local disk, or use Redis, Postgres or MySQL.';
    findings.push(problem('network_file_system', message, remedy));
  }
  if (inMemory.includes(type)) {
    const message = 'The file is on a file system in memory, which a restart of the machine empties.';
    findings.push(advice('file_in_memory', message, 'Move the file to a disk.'));
  }
  return findings;
}
