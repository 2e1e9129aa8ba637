import '../../support/quick-scrypt.ts';
import {mounts, sqlite} from '../../support/worlds.ts';
import {contract} from '../../contract/http/contract.ts';

contract({mount: mounts['with a path prefix in baseUrl'], backend: sqlite});
