import {Deadline} from '../../../src/store/failing/deadline.ts';
import type {Prepare, Work} from '../../../src/store/engines/sqlite/database.ts';

/** A table for tests of the database without the driver. */
export const schema = [
  {
    name: 'keyv',
    create: ['create table if not exists keyv (key text primary key, value text not null)'],
    columns: ['key', 'value'],
  },
];

/** It runs only while a caller waits with it, so it never expires here. */
export const deadline = new Deadline(20_000);

export const put =
  (key: string): Work<void> =>
  (prepare) => {
    prepare('insert into keyv values (?, 1)').run([key]);
  };

export function keys(prepare: Prepare): unknown[] {
  return prepare('select key from keyv order by key')
    .all([])
    .map(([key]) => key);
}
