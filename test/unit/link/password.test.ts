import {AsyncLocalStorage, createHook} from 'node:async_hooks';
import {scryptSync} from 'node:crypto';
import test from 'ava';
import {ShortUrlError} from '../../../src/index.ts';
import {hashPassword, verifyPassword} from '../../../src/link/password.ts';
import {range} from '../../support/engines/crowd.ts';
import '../../support/quick-scrypt.ts';

/** A hash that is soon compared, and that no password has. */
const cheap = `scrypt$1024$8$1$${Buffer.alloc(16).toString('base64url')}$${Buffer.alloc(32).toString('base64url')}`;

const visitor = {account: 'user-42', client: 'client'};

/** Counts the scrypt hashes on the thread pool during the work. Hashes on the event loop are not seen. */
async function watched<Result>(work: () => Promise<Result>): Promise<{result: Result; hashes: number; atOnce: number}> {
  const underWay = new Set<number>();
  const counts = {hashes: 0, atOnce: 0};
  const hook = createHook({
    init(id, type) {
      if (type !== 'SCRYPTREQUEST') return;
      underWay.add(id);
      counts.hashes += 1;
      counts.atOnce = Math.max(counts.atOnce, underWay.size);
    },
    before(id) {
      underWay.delete(id);
    },
  });
  hook.enable();
  try {
    return {result: await work(), ...counts};
  } finally {
    hook.disable();
  }
}

test('a hash of another cost still matches', async (t) => {
  const salt = Buffer.alloc(16, 7);
  const key = scryptSync('s3cret', salt, 32, {N: 1024, r: 8, p: 1});
  const stored = ['scrypt', 1024, 8, 1, salt.toString('base64url'), key.toString('base64url')].join('$');
  t.true(await verifyPassword('s3cret', stored, visitor));
  t.false(await verifyPassword('s3cre', stored, visitor));
});

test.serial('at most two hashes of owners and visitors together run at once, on the thread pool', async (t) => {
  const stored = await hashPassword('s3cret', 'owner');
  const {result, hashes, atOnce} = await watched(() =>
    Promise.all([
      ...Array.from({length: 3}, () => hashPassword('s3cret', 'owner')),
      ...Array.from({length: 3}, () => verifyPassword('s3cret', stored, visitor)),
    ]),
  );
  t.is(new Set(result.slice(0, 3)).size, 3);
  t.deepEqual(result.slice(3), [true, true, true]);
  t.is(hashes, 6);
  t.is(atOnce, 2);
});

/** Notes in which order hashes begin, by the name that `current` has then. */
function watchTurns() {
  const begun: string[] = [];
  const current = new AsyncLocalStorage<string>();
  const hook = createHook({
    init(_, type) {
      if (type === 'SCRYPTREQUEST') begun.push(current.getStore() ?? 'unknown');
    },
  });
  hook.enable();
  return {begun, current, disable: () => hook.disable()};
}

test.serial('a visitor waits for one hash of each client before, however many these wait for', async (t) => {
  const {begun, current, disable} = watchTurns();
  const verify = (client: string): Promise<boolean> =>
    current.run(client, () => verifyPassword('s3cret', cheap, {account: 'user-42', client}));
  const flood = range(20).map(() => verify('flood'));
  await Promise.all([...flood, verify('visitor')]);
  disable();
  t.is(begun.filter((client) => client === 'flood').length, 20);
  t.true(begun.includes('visitor') && begun.indexOf('visitor') <= 4, begun.join());
});

test.serial('the accounts of links take turns, however many hashes one of them waits for', async (t) => {
  const {begun, current, disable} = watchTurns();
  const verify = (account: string, client: string): Promise<boolean> =>
    current.run(account, () => verifyPassword('s3cret', cheap, {account, client}));
  const flood = range(50).map((client) => verify('flood', `${client}`));
  const creates = range(50).map(() => current.run('many', () => hashPassword('s3cret', 'many')));
  const one = current.run('owner', () => hashPassword('s3cret', 'owner'));
  await Promise.all([verify('user-42', 'visitor'), one]);
  disable();
  for (const account of ['user-42', 'owner']) t.true(begun.indexOf(account) <= 7, begun.join());
  await Promise.all([...flood, ...creates]);
});

test.serial('when too many hashes of a client are waiting, the next is refused without hashing', async (t) => {
  const {result, hashes} = await watched(() =>
    Promise.allSettled(range(120).map(() => verifyPassword('s3cret', cheap, visitor))),
  );
  const refused = result.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  t.is(refused.length, 20);
  for (const error of refused) {
    t.true(error instanceof ShortUrlError && error.code === 'too_many_requests' && Number(error.retryAfter) > 0);
  }
  t.is(hashes, 100);
  t.false(await verifyPassword('s3cret', cheap, visitor));
});
