import '../../support/quick-scrypt.ts';
import {memory, mounts} from '../../support/worlds.ts';
import {contract} from '../../contract/http/contract.ts';

contract({mount: mounts['inside Express'], backend: memory});
