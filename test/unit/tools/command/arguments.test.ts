import test from 'ava';
import {readArguments} from '../../../../src/tools/command/arguments.ts';

const help = `Options:
  --store URL            the store, in the place of
                         --nothing
  --overwrite            overwrite a target
`;

test('options and operands are read in any order', (t) => {
  const {values, operands} = readArguments(['file', '--store=a', '--overwrite', '-'], help);
  t.deepEqual({...values}, {store: 'a', overwrite: true});
  t.deepEqual(operands, ['file', '-']);
  t.deepEqual({...readArguments(['--store', 'a b', '-h'], help).values}, {store: 'a b', help: true});
  t.deepEqual(readArguments(['--', '--store'], help).operands, ['--store']);
});

test('an invalid command line is refused with a hint, without repeating a value', (t) => {
  const refused = (args: readonly string[], message: RegExp): void => {
    const error = t.throws(() => readArguments(args, help), {name: 'UsageError', message});
    t.notRegex(String(error), /s3cret/);
  };
  refused(['--stroe', 'redis://:s3cret@host'], /Unknown option --stroe\. Did you mean --store\?/);
  refused(['--stroe=redis://:s3cret@host'], /Unknown option --stroe\. Did you mean --store\?/);
  refused(['--redis://:s3cret@host'], /^Unknown option\.$/);
  refused(['--constructor'], /Unknown option --constructor/);
  refused(['--store'], /--store needs a value/);
  refused(['--store='], /--store needs a value/);
  refused(['--store', '--overwrite'], /--store=…/);
  refused(['--store', 'a', '--store', 's3cret'], /--store was given twice/);
  refused(['--overwrite=s3cret'], /--overwrite takes no value/);
  refused(['-x'], /Unknown option --x|Unknown option -x/);
});
