import test from 'ava';
import '../support/quick-scrypt.ts';
import {engineNamed, freshOn, whyMissing} from '../support/engines/engines.ts';
import {mounts} from '../support/worlds.ts';
import {mounted} from '../contract/http/contract.ts';

const redis = engineNamed('redis');
const reason = await whyMissing(redis);
if (reason === undefined) {
  mounted({mount: mounts['at the root on Koa 3'], backend: {persistent: true, open: (t) => freshOn(redis, t)}});
} else {
  test.skip(`the contract holds on Redis (skipped: ${reason})`, (t) => {
    t.pass();
  });
}
