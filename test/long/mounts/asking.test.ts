import '../../support/quick-scrypt.ts';
import {memoryAtRoot} from '../../support/worlds.ts';
import {mounted} from '../../contract/http/contract.ts';

mounted({...memoryAtRoot, asks: true});
