import {testProcesses} from '../../support/store/processes.ts';
import {cleanSharedRedis, missingRedis, sharedRedis} from '../../support/store/redis-server.ts';

const skip = await missingRedis();
cleanSharedRedis();
testProcesses({title: 'redis:', option: sharedRedis, skip});
