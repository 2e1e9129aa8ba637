import '../../support/quick-scrypt.ts';
import {mounts, sqlite} from '../../support/worlds.ts';
import {mounted} from '../../contract/http/contract.ts';

mounted({mount: mounts['with a path prefix in baseUrl'], backend: sqlite});
