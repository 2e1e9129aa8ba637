import '../../support/quick-scrypt.ts';
import {memory, mounts} from '../../support/worlds.ts';
import {contract} from './contract.ts';

contract({mount: mounts['with a path prefix in baseUrl'], backend: memory});
