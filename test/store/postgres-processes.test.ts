import {missingPostgres, ownPostgres} from './postgres-server.ts';
import {testProcesses} from './processes.ts';

const skip = await missingPostgres();
testProcesses({title: 'postgres:', option: ownPostgres('processes', skip), skip});
