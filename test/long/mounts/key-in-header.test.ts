import '../../support/quick-scrypt.ts';
import {memoryAtRoot} from '../../support/worlds.ts';
import {contract} from '../../contract/http/contract.ts';

contract({...memoryAtRoot, keyIn: 'header'});
