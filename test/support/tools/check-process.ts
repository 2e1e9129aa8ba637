import {checkStore} from '../../../src/tools.ts';

process.send?.(await checkStore({store: String(process.argv[2]), storeTimeout: 2000}));
process.disconnect();
