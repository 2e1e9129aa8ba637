import test from 'ava';
import '../support/quick-scrypt.ts';
import {clearRedis, mounts, redis, whyNoRedis} from '../support/worlds.ts';
import {mounted} from '../contract/http/contract.ts';

const reason = await whyNoRedis();
if (reason === undefined) {
  mounted({mount: mounts['at the root on Koa 3'], backend: redis});
  test.after.always('the data of the tests in Redis is deleted', clearRedis);
} else if (process.env['CI'] === 'true') {
  test('the contract holds on Redis', (t) => {
    t.fail(reason);
  });
} else {
  test.skip(`the contract holds on Redis (skipped: ${reason})`, (t) => {
    t.pass();
  });
}
