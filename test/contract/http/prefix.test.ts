import '../../support/quick-scrypt.ts';
import {memory, mounts} from '../../support/worlds.ts';
import {mounted} from './contract.ts';

mounted({mount: mounts['with a path prefix in baseUrl'], backend: memory});
