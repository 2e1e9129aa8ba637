import {memory, mounts} from '../../support/worlds.ts';
import {mounted} from '../../contract/http/contract.ts';

mounted({mount: mounts['inside Connect under a prefix'], backend: memory});
