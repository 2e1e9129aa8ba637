import {creating} from '../http/create.ts';
import {creationOptions} from '../http/creation-options.ts';
import {destinations} from '../http/destinations.ts';
import {events} from '../http/events.ts';
import {expiry} from '../http/expiry.ts';
import {lifecycle} from '../http/lifecycle.ts';
import {list} from '../http/list.ts';
import {passwords} from '../http/password.ts';
import {programmatic} from '../http/programmatic.ts';
import {visits} from '../http/visits.ts';
import {memoryAtRoot} from '../support/worlds.ts';

// What the HTTP contract says of links; the rest of it would only take its time over each mutant.
for (const part of [
  creating,
  creationOptions,
  destinations,
  expiry,
  lifecycle,
  list,
  visits,
  passwords,
  programmatic,
  events,
]) {
  part(memoryAtRoot);
}
