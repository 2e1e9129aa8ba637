/** A copy in its own process, which can be killed. It reports when it is done. */
import {copyStore, type CopyOptions} from '../../../src/tools/copy/copy.ts';

process.on('disconnect', () => process.exit());
process.once('message', (options: CopyOptions) => {
  void copyStore(options).then((summary) => {
    process.send?.(summary);
    process.disconnect();
  });
});
process.send?.('ready');
