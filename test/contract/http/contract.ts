import {isNight} from '../../support/night.ts';
import type {World} from '../../support/worlds.ts';
import {badInput} from './bad-input.ts';
import {anyBase64, base64} from './base64.ts';
import {creating} from './create.ts';
import {creationOptions} from './creation-options.ts';
import {deciding} from './deciding.ts';
import {defer} from './defer.ts';
import {details} from './details.ts';
import {destinations} from './destinations.ts';
import {errors} from './errors.ts';
import {events} from './events.ts';
import {hosts} from './hosts.ts';
import {keys} from './keys.ts';
import {labels} from './labels.ts';
import {lifecycle} from './lifecycle.ts';
import {list} from './list.ts';
import {loosePaths} from './loose-paths.ts';
import {moments} from './moments.ts';
import {parameters} from './parameters.ts';
import {passwords} from './password.ts';
import {persistence} from './persistence.ts';
import {posting} from './post.ts';
import {programmatic} from './programmatic.ts';
import {update} from './update.ts';
import {visits} from './visits.ts';

/**
 * The whole HTTP contract. A test file runs it for one mount on one store. In its parts `making` is a site for tests that
 * create links and do not look at others, and `refusing` one for tests that create nothing.
 */
export function contract(world: World): void {
  creating(world);
  creationOptions(world);
  destinations(world);
  parameters(world);
  base64(world);
  errors(world);
  posting(world);
  lifecycle(world);
  moments(world);
  list(world);
  labels(world);
  update(world);
  deciding(world);
  visits(world);
  details(world);
  passwords(world);
  hosts(world);
  loosePaths(world);
  defer(world);
  keys(world);
  programmatic(world);
  events(world);
  if (world.backend.persistent) persistence(world);
}

/** The property tests of the contract. They need several hundred requests each, so one mount on one store runs them. */
export function properties(world: World): void {
  anyBase64(world);
  badInput(world);
}

/**
 * The contract for another mount than the root or another store, where few cases differ: those that depend on paths, hosts
 * and the pages of the site, and those of a store that outlasts a process. All of it runs at night.
 */
export function mounted(world: World): void {
  if (isNight) {
    contract(world);
    return;
  }
  creating(world);
  lifecycle(world);
  hosts(world);
  defer(world);
  if (world.backend.persistent) persistence(world);
}
