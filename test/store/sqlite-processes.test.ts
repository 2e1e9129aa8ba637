import {join} from 'node:path';
import {testProcesses} from './processes.ts';
import {temporaryDirectory} from './temporary.ts';

testProcesses({title: 'sqlite:', option: `sqlite:${join(temporaryDirectory(), 'shared.db')}`});
