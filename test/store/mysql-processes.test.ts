import {missingMysql, ownMysql} from './mysql-server.ts';
import {testProcesses} from './processes.ts';

const skip = await missingMysql();
testProcesses({title: 'mysql:', option: ownMysql('processes', skip), skip});
