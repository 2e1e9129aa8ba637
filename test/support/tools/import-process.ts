/** An import in its own process, which can be killed. It reports when it is done. */
import {importLinks} from '../../../src/tools/import/import-links.ts';
import type {ImportOptions} from '../../../src/tools/import/import-options.ts';

process.on('disconnect', () => process.exit());
process.once('message', (options: ImportOptions) => {
  void importLinks(options).then((summary) => {
    process.send?.(summary);
    process.disconnect();
  });
});
process.send?.('ready');
