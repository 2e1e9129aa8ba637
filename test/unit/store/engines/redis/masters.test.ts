import test from 'ava';
import {type RedisMasters, scanOf} from '../../../../../src/store/engines/redis/masters.ts';

interface Node {
  keys: string[];
  /** As a master gives its own slots. */
  slots: string;
  epoch: number;
}

/** Two masters with all slots, and the client that knows them. */
function cluster(...nodes: Node[]): RedisMasters & {renewals: number; client: object} {
  const servers = {
    masters: nodes.map((node, index) => ({
      name: `10.0.0.${index}:6379`,
      send: ([name]: readonly string[]) => {
        const others = 'other 10.0.0.9:6379@16379 master - 0 0 9 connected 0-5';
        const own = `id${index} 10.0.0.${index}:6379@16379 myself,master - 0 0 ${node.epoch} connected ${node.slots}`;
        return Promise.resolve(name === 'SCAN' ? ['0', node.keys] : `${others}\n${own}\n`);
      },
    })),
    isCluster: true,
    client: {},
    renewals: 0,
    renew: () => void (servers.renewals += 1),
  };
  return servers;
}

/** Lists all keys, and calls `change` after each part. */
async function listed(servers: RedisMasters, change: (part: number) => void = () => undefined): Promise<string[][]> {
  const parts: string[][] = [];
  const next = scanOf('string', '');
  for (;;) {
    const keys = await next(servers, 0);
    if (keys === undefined) return parts;
    parts.push([...keys]);
    change(parts.length);
  }
}

const lower = (): Node => ({keys: ['a'], slots: '0-8191', epoch: 1});
const upper = (): Node => ({keys: ['b'], slots: '8192-16000 16001 16002-16383', epoch: 2});

test('each master is scanned once while no slot moves', async (t) => {
  const servers = cluster(lower(), upper());
  t.deepEqual(await listed(servers), [['a'], ['b']]);
  t.is(servers.renewals, 0);
});

test('the listing begins again after a slot has moved, also if it has come back', async (t) => {
  for (const change of [{slots: '0-8190', epoch: 1}, {epoch: 3}]) {
    const first = lower();
    const second = upper();
    const parts = await listed(cluster(first, second), (part) => {
      if (part !== 1) return;
      Object.assign(first, change);
      if (change.slots) second.slots = '8191-16383';
    });
    t.deepEqual(parts, [['a'], ['b'], ['a'], ['b']]);
  }
});

test('it waits while a slot is moving, and looks for a master that is missing', async (t) => {
  const first = lower();
  first.slots = '0-8191 [8191->-id1]';
  const servers = cluster(first, upper());
  const parts = await listed(servers, (part) => {
    if (part === 2) first.slots = '0-8190';
    if (part === 4) first.slots = '0-8191';
  });
  t.deepEqual(parts, [[], [], [], [], ['a'], ['b']]);
  t.is(servers.renewals, 2);
});
