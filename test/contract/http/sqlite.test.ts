import '../../support/quick-scrypt.ts';
import {mounts, sqlite} from '../../support/worlds.ts';
import {contract} from './contract.ts';

contract({mount: mounts['at the root on Koa 3'], backend: sqlite});
