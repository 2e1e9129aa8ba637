import {creating} from '../http/create.ts';
import {creationOptions} from '../http/creation-options.ts';
import {destinations} from '../http/destinations.ts';
import {events} from '../http/events.ts';
import {expiry} from '../http/expiry.ts';
import {find} from '../http/find.ts';
import {labels} from '../http/labels.ts';
import {lifecycle} from '../http/lifecycle.ts';
import {list} from '../http/list.ts';
import {passwords} from '../http/password.ts';
import {programmatic} from '../http/programmatic.ts';
import {remove} from '../http/remove.ts';
import {statistics} from '../http/statistics.ts';
import {update} from '../http/update.ts';
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
  labels,
  update,
  remove,
  find,
  statistics,
  visits,
  passwords,
  programmatic,
  events,
]) {
  part(memoryAtRoot);
}
