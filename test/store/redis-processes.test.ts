import {testProcesses} from './processes.ts';
import {cleanSharedRedis, missingRedis, sharedRedis} from './redis-server.ts';

const skip = await missingRedis();
cleanSharedRedis();
testProcesses({title: 'redis:', option: sharedRedis, skip});
