import '../../support/quick-scrypt.ts';
import {memoryAtRoot} from '../../support/worlds.ts';
import {contract, properties} from './contract.ts';

contract(memoryAtRoot);
properties(memoryAtRoot);
