import {join} from 'node:path';
import {testProcesses} from '../../support/store/processes.ts';
import {temporaryDirectory} from '../../support/store/temporary.ts';

testProcesses({title: 'sqlite:', option: `sqlite:${join(temporaryDirectory(), 'shared.db')}`});
