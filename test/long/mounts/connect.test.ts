import {memory, mounts} from '../../support/worlds.ts';
import {contract} from '../../contract/http/contract.ts';

contract({mount: mounts['inside Connect under a prefix'], backend: memory});
