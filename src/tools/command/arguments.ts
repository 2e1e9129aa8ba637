import {parseArgs} from 'node:util';
import {didYouMean} from '../../values/describe.ts';
import {type Command, UsageError, type Values} from './command.ts';

export interface Arguments {
  readonly values: Values;
  readonly operands: readonly string[];
}

/** The options that a help explains, and whether they take a value: `  --store URL            the store`. */
export function optionsIn(help: string): Readonly<Record<string, 'string' | 'boolean'>> {
  const found = help.matchAll(/^ {2}--([a-z-]+)( \S)?/gm);
  return Object.fromEntries<'string' | 'boolean'>(
    Array.from(found, ([, name = '', value]) => [name, value === undefined ? 'boolean' : 'string']),
  );
}

/**
 * @param help of the command
 * @throws UsageError, which never repeats a value, because it may be a connection string
 */
export function readArguments(args: readonly string[], help: string): Arguments {
  const options: ReturnType<typeof optionsIn> = {help: 'boolean', ...optionsIn(help)};
  const kinds = Object.entries(options).map(([name, type]) => [name, {type}] as const);
  const {tokens} = parseArgs({
    args: Array.from(args),
    options: {...Object.fromEntries(kinds), help: {type: 'boolean', short: 'h'}},
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values: Record<string, string | boolean> = {};
  const operands: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value);
    if (token.kind !== 'option') continue;
    const {name, value} = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined) throw unknownOption(name, Object.keys(options));
    if (name in values) throw new UsageError(`The option --${name} was given twice.`);
    if (option === 'boolean') {
      if (value !== undefined) throw new UsageError(`The option --${name} takes no value.`);
      values[name] = true;
    } else {
      if (value === undefined || value === '') throw new UsageError(`The option --${name} needs a value.`);
      if (!token.inlineValue && value.startsWith('-')) {
        throw new UsageError(
          `The option --${name} needs a value. Write a value that begins with a dash as --${name}=….`,
        );
      }
      values[name] = value;
    }
  }
  return {values, operands};
}

/** @throws UsageError if the operand is missing, or there is another one */
export function checkOperands(
  {length}: readonly string[],
  {operand, isOperandOptional = false}: Pick<Command, 'operand' | 'isOperandOptional'>,
): void {
  if (operand === undefined) {
    if (length > 0) throw new UsageError('Expected only options.');
  } else if (length === 0 && !isOperandOptional) {
    throw new UsageError(`Expected ${operand} at the end of the command line.`);
  } else if (length > 1) throw new UsageError(`Expected only one ${operand}.`);
}

/** Returns the text only if it looks like a name. It may be a value in the place of a name, such as a password. */
export function mentioned(name: string): string {
  return /^[a-z][a-z-]{0,30}$/i.test(name) ? ` ${name}` : '';
}

function unknownOption(name: string, known: readonly string[]): UsageError {
  const hint = didYouMean(name, known).replace('`', '--').replace('`', '');
  return new UsageError(`Unknown option${mentioned(name) && ` --${name}`}.${hint}`);
}
