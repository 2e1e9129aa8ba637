import {EventEmitter, once} from 'node:events';
import test from 'ava';
import {Accounts} from '../../../src/accounts/accounts.ts';
import {Seal} from '../../../src/accounts/seal.ts';
import {openStore} from '../../../src/store/open.ts';
import {intercepted, memoryStore} from '../../support/store-stub.ts';

const noon = Date.UTC(2031, 4, 6, 12);

type RemoveLinks = (account: {readonly owner: string}) => Promise<void>;

/** Accounts on these records, as many of them as there are processes. */
function accountsOn(records: Map<string, unknown>, removeLinks: RemoveLinks = () => Promise.resolve()): Accounts {
  const store = openStore(records, {namespace: 'test'});
  return new Accounts(store, new Seal(['a secret of good length']), removeLinks, () => noon);
}

function keysIn(records: Map<string, unknown>, prefix: string): string[] {
  return [...records.keys()].filter((key) => key.startsWith(prefix));
}

function stored(records: Map<string, unknown>, key: string): unknown {
  return (JSON.parse(String(records.get(key))) as {value: unknown}).value;
}

interface HeldUp {
  readonly wait: () => Promise<void>;
  readonly reached: Promise<void>;
  readonly release: (error?: Error) => void;
}

/** A place where somebody waits until he is let go, or thrown out. */
function heldUp(): HeldUp {
  const events = new EventEmitter();
  const reached = once(events, 'reached').then(() => undefined);
  const released = once(events, 'released').then(() => undefined);
  return {
    reached,
    wait: () => {
      events.emit('reached');
      return released;
    },
    release: (error) => {
      if (error) events.emit('error', error);
      else events.emit('released');
    },
  };
}

test('two processes that create one account at once come to one key and leave no other pointer', async (t) => {
  const records = new Map<string, unknown>();
  const [one, two] = [accountsOn(records), accountsOn(records)];
  const [first, second] = await Promise.all([one.create('user-42'), two.create('user-42')]);
  t.is(first, second);
  t.is((await one.authenticate(first))?.id, 'user-42');
  t.deepEqual(keysIn(records, 'test:account:'), ['test:account:user-42']);
  t.is(keysIn(records, 'test:key:').length, 1);
  t.is(keysIn(records, 'test:accounts:').length, 1);
});

test('two processes that rotate one key at once both get a new one, and the last of them counts', async (t) => {
  const records = new Map<string, unknown>();
  const [one, two] = [accountsOn(records), accountsOn(records)];
  const before = await one.create('user-42');
  const keys = await Promise.all([one.rotate('user-42'), two.rotate('user-42')]);
  t.is(new Set([before, ...keys]).size, 3);
  const now = await one.apiKey('user-42');
  t.true(keys.some((key) => key === now));
  for (const key of [before, ...keys]) t.is((await two.authenticate(key))?.id, key === now ? 'user-42' : undefined);
  t.is(keysIn(records, 'test:key:').length, 1);
});

test('a removal takes the links out of service once, and leaves no key', async (t) => {
  const records = new Map<string, unknown>();
  const owners: string[] = [];
  const accounts = accountsOn(records, async ({owner}) => void owners.push(owner));
  const key = await accounts.create('user-42');
  const account = await accounts.authenticate(key);
  await accounts.remove('user-42');
  await accounts.remove('user-42');
  await accounts.remove('nobody');
  t.deepEqual(owners, [account?.owner]);
  t.deepEqual(stored(records, 'test:account:user-42'), {id: 'user-42', owner: account?.owner, state: 'removed'});
  t.deepEqual([...records.keys()].sort(), ['test:account:user-42', 'test:sequence:account']);
});

test('a removal that was cut off is taken up by the next, and the key has stopped meanwhile', async (t) => {
  const records = new Map<string, unknown>();
  const owners: string[] = [];
  const accounts = accountsOn(records, async ({owner}) => {
    owners.push(owner);
    if (owners.length === 1) throw new Error('cut off');
  });
  const key = await accounts.create('user-42');
  await t.throwsAsync(accounts.remove('user-42'), {message: 'cut off'});
  t.is(await accounts.apiKey('user-42'), undefined);
  t.is(await accounts.authenticate(key), undefined);
  await accounts.remove('user-42');
  await accounts.remove('user-42');
  t.is(owners.length, 2);
  t.is(owners[0], owners[1]);
});

test('a removal that was cut off is finished before an account of that name begins anew', async (t) => {
  const records = new Map<string, unknown>();
  const owners: string[] = [];
  const accounts = accountsOn(records, async ({owner}) => {
    owners.push(owner);
    if (owners.length === 1) throw new Error('cut off');
  });
  const key = await accounts.create('user-42');
  await t.throwsAsync(accounts.remove('user-42'), {message: 'cut off'});
  const next = await accounts.create('user-42');
  t.not(next, key);
  t.is(owners.length, 2);
  t.is(owners[0], owners[1]);
  t.not((await accounts.require('user-42')).owner, owners[0]);
});

test('a removal that comes to its end late leaves the next life of the account as it is', async (t) => {
  const [first, second] = [heldUp(), heldUp()];
  const owners: string[] = [];
  const held = new Map([
    [0, first],
    [2, second],
  ]);
  const accounts = accountsOn(new Map(), async ({owner}) => {
    await held.get(owners.push(owner) - 1)?.wait();
  });
  await accounts.create('user-42');
  const firstRemoval = accounts.remove('user-42');
  await first.reached;
  const key = await accounts.create('user-42');
  const secondRemoval = accounts.remove('user-42');
  await second.reached;
  first.release();
  await firstRemoval;
  second.release(new Error('cut off'));
  await t.throwsAsync(secondRemoval, {message: 'cut off'});
  t.is(await accounts.authenticate(key), undefined);
  // Had the first removal ended the second, nobody would take it up.
  await accounts.remove('user-42');
  t.is(owners.length, 4);
  t.deepEqual([owners[1], owners[3]], [owners[0], owners[2]]);
  t.not(owners[0], owners[2]);
});

test('a removal that ends when the account lives again does not end it', async (t) => {
  const first = heldUp();
  const waits = [first];
  const accounts = accountsOn(new Map(), async () => waits.shift()?.wait());
  await accounts.create('user-42');
  const removal = accounts.remove('user-42');
  await first.reached;
  const key = await accounts.create('user-42');
  first.release();
  await removal;
  t.is((await accounts.authenticate(key))?.id, 'user-42');
});

test('an account is live in the life that was asked for, and in no other', async (t) => {
  const accounts = accountsOn(new Map());
  await accounts.create('user-42');
  const first = await accounts.require('user-42');
  t.true(await accounts.isLive(first));
  await accounts.remove('user-42');
  t.false(await accounts.isLive(first));
  await accounts.create('user-42');
  t.false(await accounts.isLive(first));
  t.true(await accounts.isLive(await accounts.require('user-42')));
});

test('a new account costs the store one look, and one that is not there costs its removal no write', async (t) => {
  const operations: string[] = [];
  const accounts = new Accounts(
    intercepted(memoryStore(), (name) => void operations.push(name)),
    new Seal(['a secret of good length']),
    () => Promise.resolve(),
    () => noon,
  );
  await accounts.create('user-42');
  t.deepEqual(operations.splice(0), ['get', 'increment', 'insert', 'insert', 'insert']);
  await accounts.remove('nobody');
  t.deepEqual(operations, ['get']);
});

test('an account that is not there is refused with what may be the reason', async (t) => {
  const accounts = accountsOn(new Map());
  for (const asking of [accounts.rotate('nobody'), accounts.require('nobody')]) {
    await t.throwsAsync(asking, {code: 'invalid_api_key', message: /no such account/});
  }
});

test('an id is a string of 1 to 255 characters, whole ones, and an error says what came without repeating it', async (t) => {
  const accounts = accountsOn(new Map());
  const wrong: Array<[id: unknown, got: RegExp]> = [
    ['', /1 to 255 characters, got an empty string$/],
    ['x'.repeat(256), /got a string of 256 characters$/],
    ['\ud83d', /got a string of 1 characters$/],
    [42, /got 42$/],
    [undefined, /got undefined$/],
    [{length: 5}, /got an object$/],
  ];
  for (const [id, message] of wrong) {
    for (const method of ['create', 'apiKey', 'rotate', 'remove', 'require'] as const) {
      await t.throwsAsync(accounts[method](id as string), {instanceOf: TypeError, message});
    }
  }
  for (const id of ['x', 'x'.repeat(255), '😀']) t.is(await accounts.apiKey(id), undefined);
});
