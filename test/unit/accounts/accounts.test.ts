import '../../support/quick-scrypt.ts';
import {EventEmitter, once} from 'node:events';
import test from 'ava';
import {Accounts} from '../../../src/accounts/accounts.ts';
import {Seal} from '../../../src/accounts/seal.ts';
import {openStore} from '../../../src/store/opening/open.ts';
import {intercepted, memoryStore} from '../../support/store-stub.ts';

const noon = Date.UTC(2031, 4, 6, 12);

type RemoveLinks = (account: {readonly generation: string}) => Promise<void>;

/** Accounts of one process. Two calls with the same records act as two processes. */
function accountsOn(records: Map<string, unknown>, removeLinks: RemoveLinks = () => Promise.resolve()): Accounts {
  const store = openStore(records, {namespace: 'test'});
  return new Accounts(store, new Seal(['a secret of good length']), removeLinks, () => noon);
}

function keysIn(records: Map<string, unknown>, prefix: string): string[] {
  return [...records.keys()].filter((key) => key.startsWith(prefix));
}

interface HeldUp {
  readonly wait: () => Promise<void>;
  readonly reached: Promise<void>;
  readonly release: (error?: Error) => void;
}

/** A gate at which a call waits until the test releases it, or makes it fail. */
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

test('two processes that create the same account at once get the same key and leave no other pointer', async (t) => {
  const records = new Map<string, unknown>();
  const [one, two] = [accountsOn(records), accountsOn(records)];
  const [first, second] = await Promise.all([one.create('user-42'), two.create('user-42')]);
  t.is(first, second);
  t.is((await one.authenticate(first))?.account.id, 'user-42');
  t.deepEqual(keysIn(records, 'test:account:'), ['test:account:user-42']);
  t.is(keysIn(records, 'test:accounts:').length, 1);
});

test('two processes that rotate the same key at once get different new keys, and only one of them is valid', async (t) => {
  const records = new Map<string, unknown>();
  const [one, two] = [accountsOn(records), accountsOn(records)];
  const before = await one.create('user-42');
  const keys = await Promise.all([one.rotate('user-42'), two.rotate('user-42')]);
  t.is(new Set([before, ...keys]).size, 3);
  const now = await one.apiKey('user-42');
  t.true(keys.some((key) => key === now));
  for (const key of [before, ...keys])
    t.is((await two.authenticate(key))?.account.id, key === now ? 'user-42' : undefined);
});

test('a removal disables the links once and leaves no key in the store', async (t) => {
  const records = new Map<string, unknown>();
  const generations: string[] = [];
  const accounts = accountsOn(records, async ({generation}) => void generations.push(generation));
  const key = await accounts.create('user-42');
  const account = (await accounts.authenticate(key))?.account;
  await accounts.remove('user-42');
  await accounts.remove('user-42');
  await accounts.remove('nobody');
  t.deepEqual(generations, [account?.generation]);
  t.deepEqual([...records.keys()].sort(), ['test:sequence:account']);
});

test('an interrupted removal stops the key at once, and the next removal finishes it', async (t) => {
  const records = new Map<string, unknown>();
  const generations: string[] = [];
  const accounts = accountsOn(records, async ({generation}) => {
    generations.push(generation);
    if (generations.length === 1) throw new Error('cut off');
  });
  const key = await accounts.create('user-42');
  await t.throwsAsync(accounts.remove('user-42'), {message: 'cut off'});
  t.is(await accounts.apiKey('user-42'), undefined);
  t.is(await accounts.authenticate(key), undefined);
  await accounts.remove('user-42');
  await accounts.remove('user-42');
  t.is(generations.length, 2);
  t.is(generations[0], generations[1]);
});

test('a removal interrupted at any write leaves no key and no position once it is repeated', async (t) => {
  for (let cut = 1; cut <= 3; cut += 1) {
    const records = new Map<string, unknown>();
    const key = await accountsOn(records).create('user-42');
    let writes = 0;
    const failing = intercepted(openStore(records, {namespace: 'test'}), (operation) => {
      if (operation !== 'get' && (writes += 1) === cut) throw new Error('cut off');
    });
    const accounts = new Accounts(
      failing,
      new Seal(['a secret of good length']),
      () => Promise.resolve(),
      () => noon,
    );
    await t.throwsAsync(accounts.remove('user-42'), {message: 'cut off'});
    await accounts.remove('user-42');
    t.is(await accounts.authenticate(key), undefined);
    t.deepEqual([...records.keys()].sort(), ['test:sequence:account'], `write ${cut}`);
  }
});

test('an integer names the same account as its digits', async (t) => {
  const accounts = accountsOn(new Map());
  const key = await accounts.create(42);
  t.is(await accounts.create('42'), key);
  t.is(await accounts.apiKey(42), key);
  t.is((await accounts.require(42)).id, '42');
  t.not(await accounts.rotate(42), key);
  await accounts.remove(42);
  t.is(await accounts.apiKey('42'), undefined);
  for (const wrong of [1.5, Number.NaN, Number.MAX_SAFE_INTEGER + 1]) {
    await t.throwsAsync(accounts.create(wrong), {instanceOf: TypeError, message: /safe integer/});
  }
});

test('an account created after an interrupted removal finishes that removal first', async (t) => {
  const records = new Map<string, unknown>();
  const generations: string[] = [];
  const accounts = accountsOn(records, async ({generation}) => {
    generations.push(generation);
    if (generations.length === 1) throw new Error('cut off');
  });
  const key = await accounts.create('user-42');
  await t.throwsAsync(accounts.remove('user-42'), {message: 'cut off'});
  const next = await accounts.create('user-42');
  t.not(next, key);
  t.is(generations.length, 2);
  t.is(generations[0], generations[1]);
  t.not((await accounts.require('user-42')).generation, generations[0]);
});

test('a removal that finishes late does not end the removal of the account created after it', async (t) => {
  const [first, second] = [heldUp(), heldUp()];
  const generations: string[] = [];
  const held = new Map([
    [0, first],
    [2, second],
  ]);
  const accounts = accountsOn(new Map(), async ({generation}) => {
    await held.get(generations.push(generation) - 1)?.wait();
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
  // If the first removal had ended the second, this call would do nothing.
  await accounts.remove('user-42');
  t.is(generations.length, 4);
  t.deepEqual([generations[1], generations[3]], [generations[0], generations[2]]);
  t.not(generations[0], generations[2]);
});

test('a removal that finishes after the account was created again leaves the new account alone', async (t) => {
  const first = heldUp();
  const waits = [first];
  const accounts = accountsOn(new Map(), async () => waits.shift()?.wait());
  await accounts.create('user-42');
  const removal = accounts.remove('user-42');
  await first.reached;
  const key = await accounts.create('user-42');
  first.release();
  await removal;
  t.is((await accounts.authenticate(key))?.account.id, 'user-42');
});

test('an account that was created again is not the same account to recheck', async (t) => {
  const accounts = accountsOn(new Map());
  await accounts.create('user-42');
  const first = await accounts.require('user-42');
  t.is((await accounts.recheck(first)).generation, first.generation);
  await accounts.remove('user-42');
  await t.throwsAsync(accounts.recheck(first), {code: 'invalid_api_key'});
  await accounts.create('user-42');
  await t.throwsAsync(accounts.recheck(first), {code: 'invalid_api_key'});
  await t.notThrowsAsync(accounts.recheck(await accounts.require('user-42')));
});

test('creating an account reads once, and removing an unknown account writes nothing', async (t) => {
  const operations: string[] = [];
  const accounts = new Accounts(
    intercepted(memoryStore(), (name) => void operations.push(name)),
    new Seal(['a secret of good length']),
    () => Promise.resolve(),
    () => noon,
  );
  await accounts.create('user-42');
  t.is(operations.splice(0).filter((name) => name === 'get').length, 1);
  await accounts.remove('nobody');
  t.deepEqual(operations, ['get']);
});

test('an unknown account is refused, and the error says why', async (t) => {
  const accounts = accountsOn(new Map());
  for (const asking of [accounts.rotate('nobody'), accounts.require('nobody')]) {
    await t.throwsAsync(asking, {code: 'invalid_api_key', message: /does not exist/});
  }
});

test('an id has 1 to 255 whole characters, and the error describes a wrong one without repeating it', async (t) => {
  const accounts = accountsOn(new Map());
  const wrong: Array<[id: unknown, got: RegExp]> = [
    ['', /1 to 255 characters or a safe integer, got an empty string$/],
    ['x'.repeat(256), /got a string of 256 characters$/],
    ['\ud83d', /got a string of 1 characters$/],
    [4.5, /got 4.5$/],
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
