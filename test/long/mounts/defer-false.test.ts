import '../../support/quick-scrypt.ts';
import {memory, mounts} from '../../support/worlds.ts';
import {mounted} from '../../contract/http/contract.ts';

mounted({mount: mounts['with defer: false'], backend: memory});
