import {Writable} from 'node:stream';
import test from 'ava';
import {openProgress} from '../../../../src/tools/command/progress-display.ts';

function stream(isTTY: boolean): {stream: NodeJS.WriteStream; text: () => string} {
  let text = '';
  const writable = new Writable({
    write(part: Buffer, _, done) {
      text += part.toString();
      done();
    },
  });
  return {stream: Object.assign(writable, {isTTY}) as unknown as NodeJS.WriteStream, text: () => text};
}

test('a terminal shows a number, and a bar if the total is known', (t) => {
  const {stream: terminal, text} = stream(true);
  const display = openProgress(terminal);
  display.show({phase: 'copying records', done: 1500});
  display.show({phase: 'comparing records', done: 750, share: 0.5});
  display.show({phase: 'comparing records', done: 1500, share: 1});
  display.stop();
  display.stop();
  t.regex(text(), /copying records 1,500/);
  t.regex(text(), /comparing records █{15}░{15} 50% 750/);
  t.regex(text(), /comparing records █{30} 100% 1,500/);
});
