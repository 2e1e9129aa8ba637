import '../../support/quick-scrypt.ts';
import {memory, mounts} from '../../support/worlds.ts';
import {mounted} from '../../contract/http/contract.ts';

mounted({mount: mounts['behind the host’s routes'], backend: memory});
