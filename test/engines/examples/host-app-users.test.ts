import {randomUUID} from 'node:crypto';
import type {ExecutionContext} from 'ava';
import {openUsers} from '../../../examples/host-app/users/open.ts';
import type {NewUser, Users} from '../../../examples/host-app/users/users.ts';
import {eachOf} from '../../support/engines/each.ts';
import {engines} from '../../support/engines/engines.ts';

function open(t: ExecutionContext, store: string): Users {
  const users = openUsers(store);
  t.teardown(() => users.close());
  return users;
}

/** A user who is removed after the test, because Redis is shared. */
function newUser(t: ExecutionContext, users: Users): NewUser {
  const id = randomUUID();
  const email = `${id}@users.example`;
  t.teardown(() => users.remove(email));
  return {id, email, passwordHash: 'scrypt-15-8-3$c2FsdA$aGFzaA'};
}

const onEach = await eachOf(engines.filter(({name}) => name !== 'redis+cluster'));

onEach((check) => {
  check('a user is found by the email address, and no other', async (t, engine) => {
    const users = open(t, (await engine.fresh(t)).store);
    const user = newUser(t, users);
    await users.ready();
    t.is(await users.find(user.email), undefined);
    t.true(await users.add(user));
    t.deepEqual(await users.find(user.email), {...user, logouts: 0});
    t.is(await users.find(newUser(t, users).email), undefined);
    t.is(await users.emailOf(user.id), user.email);
    t.is(await users.emailOf(randomUUID()), undefined);
  });

  check('of concurrent registrations of one email address the first stays', async (t, engine) => {
    const {store} = await engine.fresh(t);
    const first = open(t, store);
    // Two clients of one store act as two processes. Memory has only one.
    const second = engine.place !== 'memory' ? open(t, store) : first;
    const {email} = newUser(t, first);
    const rivals = Array.from({length: 10}, () => ({...newUser(t, first), email}));
    const results = await Promise.all(rivals.map((user, index) => (index % 2 ? first : second).add(user)));
    t.is(results.filter(Boolean).length, 1);
    t.is((await first.find(email))?.id, rivals[results.indexOf(true)]?.id);
    const emails = await Promise.all(rivals.map(({id}) => first.emailOf(id)));
    t.deepEqual(
      emails,
      results.map((isAdded) => (isAdded ? email : undefined)),
    );
  });

  check('a removed user is unknown, and can register again as a new one', async (t, engine) => {
    const users = open(t, (await engine.fresh(t)).store);
    const [user, other] = [newUser(t, users), newUser(t, users)];
    await users.add(user);
    await users.add(other);
    await users.logOut(user.email);
    await users.remove(user.email);
    await users.remove('nobody@example.org');
    t.is(await users.find(user.email), undefined);
    t.is(await users.emailOf(user.id), undefined);
    t.is((await users.find(other.email))?.id, other.id);
    t.true(await users.add(user));
    t.is((await users.find(user.email))?.logouts, 0);
  });
});
