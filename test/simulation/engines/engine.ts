import type {Driver} from '../../../src/store/driver.ts';
import type {Process} from '../timeline.ts';
import type {Network} from '../wire.ts';

/** A real engine in this process, with one connection, in the place of our picture of one. */
export interface Engine {
  readonly name: string;
  /** Removes all tables. */
  empty(): Promise<void>;
  /** The package's driver of the engine, behind the simulated network of a process. */
  driver(network: Network, process: Process): Driver;
}
