import type {Driver} from '../../../src/store/driver.ts';
import type {Process} from '../timeline.ts';
import type {Network} from '../wire.ts';

/** A real engine in this process, with one connection, in the place of our picture of one. */
export interface Engine {
  readonly name: string;
  /** Removes all tables. */
  empty(): Promise<void>;
  /** How many connections of living processes are in use. */
  inUse?(): number;
  /** The package's driver of the engine, behind the simulated network of a process. */
  driver(network: Network, process: Process): Driver;
}

/** How many of them belong to a process that has not died. */
export function countLiving(owners: ReadonlyMap<object, Process>): number {
  return Array.from(owners.values()).filter(({isDead}) => !isDead).length;
}
