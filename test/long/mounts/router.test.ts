import '../../support/quick-scrypt.ts';
import {memory, mounts} from '../../support/worlds.ts';
import {mounted} from '../../contract/http/contract.ts';

mounted({mount: mounts['inside a catch-all of @koa/router'], backend: memory});
