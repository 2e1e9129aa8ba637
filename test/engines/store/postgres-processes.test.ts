import {missingPostgres, ownPostgres} from '../../support/store/postgres-server.ts';
import {testProcesses} from '../../support/store/processes.ts';

const skip = await missingPostgres();
testProcesses({title: 'postgres:', option: ownPostgres('processes', skip), skip});
