import {ShortUrlError} from '../../errors.ts';
import {didYouMean} from '../../values/describe.ts';
import {printable} from '../../values/printable.ts';
import {version} from '../../version.ts';
import {explain} from '../../warnings.ts';
import {ToolError} from '../tool-error.ts';
import {checkOperands, mentioned, readArguments} from './arguments.ts';
import {commands, overview} from './commands.ts';
import {openProgress} from './progress-display.ts';
import {secretsOf, withoutSecrets} from './secrets.ts';
import {print, UsageError} from './command.ts';

/** The parts of the process that the program uses. */
export type Surroundings = Pick<NodeJS.Process, 'env' | 'stdin' | 'stdout' | 'stderr'>;

/**
 * Runs the command line.
 *
 * @param args without the program's own name
 * @returns the exit code: 0 if everything was done, 1 if not, and 2 for a wrong command line
 */
export async function runProgram(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const {env, stdout, stderr} = surroundings;
  // Nobody may read standard error, which does not end the work. `print` rejects with the errors of standard output.
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined);
  try {
    return await run(args, surroundings);
  } catch (error) {
    stderr.write(`${printable(`koa-short-url: ${withoutSecrets(reasonOf(error), secretsOf(args, env))}`)}\n`);
    if (!isUsageError(error)) return 1;
    const [name = ''] = args;
    stderr.write(`Try: koa-short-url ${commands.has(name) ? `${name} ` : ''}--help\n`);
    return 2;
  }
}

async function run([name = '', ...rest]: readonly string[], surroundings: Surroundings): Promise<number> {
  const {env, stdin, stdout, stderr} = surroundings;
  if (name === '--help' || name === '-h' || name === 'help') {
    await print(stdout, commands.get(rest[0] ?? '')?.help ?? overview());
    return 0;
  }
  if (name === '--version') {
    await print(stdout, `${version}\n`);
    return 0;
  }
  const command = commands.get(name);
  if (command === undefined) throw unknownCommand(name);
  const {values, operands} = readArguments(rest, command.help);
  if (values['help'] === true) {
    await print(stdout, command.help);
    return 0;
  }
  checkOperands(operands, command);
  const progress = openProgress(stderr);
  try {
    const onProgress = progress.show.bind(progress);
    const secrets = secretsOf(rest, env);
    const report = (line: string): void => {
      progress.stop();
      stderr.write(`${printable(withoutSecrets(line, secrets))}\n`);
    };
    const call = {values, operand: operands[0] ?? '', env, stdin, stdout, onProgress, report};
    const {summary, incomplete, isStdoutTaken} = await command.run(call);
    progress.stop();
    const line = `${printable(JSON.stringify(summary), Number.POSITIVE_INFINITY)}\n`;
    if (isStdoutTaken) stderr.write(line);
    else await print(stdout, line);
    if (incomplete !== undefined) stderr.write(`koa-short-url: ${incomplete}\n`);
    return incomplete === undefined ? 0 : 1;
  } finally {
    progress.stop();
  }
}

function unknownCommand(name: string): UsageError {
  const known = Array.from(commands.keys());
  if (name === '') return new UsageError(`Expected a command: ${known.join(', ')}.`);
  return new UsageError(`Unknown command${mentioned(name)}.${didYouMean(name, known).replaceAll('`', '')}`);
}

/** A `TypeError` for a wrong option says what was expected. One for a bug does not. */
function isUsageError(error: unknown): boolean {
  return error instanceof UsageError || (error instanceof TypeError && /\bexpected\b/i.test(error.message));
}

/** The message of an error, without its stack. */
function reasonOf(error: unknown): string {
  if (error instanceof UsageError || error instanceof ToolError) return error.message;
  if (error instanceof ShortUrlError) return explain(error);
  if ((error as {code?: unknown}).code === 'EPIPE') return 'Nobody reads standard output any more.';
  return error instanceof Error ? error.message : String(error);
}
