import '../../support/quick-scrypt.ts';
import {memory, mounts} from '../../support/worlds.ts';
import {mounted} from '../../contract/http/contract.ts';

mounted({mount: mounts['in a site of requests and responses'], backend: memory});
