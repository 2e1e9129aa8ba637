import test from 'ava';
import {requireNode} from '../../../../src/store/opening/node-version.ts';

test('an older Node.js is refused with the versions that are supported', (t) => {
  for (const version of ['16.20.2', '18.20.8', '20.18.3', '21.7.3', '22.11.0'])
    t.throws(
      () => {
        requireNode(version);
      },
      {message: new RegExp(`needs Node\\.js 20\\.19 .* 22\\.12 .*${version.replaceAll('.', '\\.')}\\.$`)},
    );
  for (const version of ['20.19.0', '20.20.1', '22.12.0', '23.0.0', '24.1.0', '26.0.0'])
    t.notThrows(() => {
      requireNode(version);
    });
});
