import {ToolError} from '../tool-error.ts';
import {peek} from './texts.ts';

/** An object of a file, and its number among them, from 1. Anything else in its place is an empty object. */
export interface JsonRecord {
  readonly number: number;
  readonly fields: Fields;
}

export type Fields = Readonly<Record<string, unknown>>;

/** Its own types do not compile without `skipLibCheck`, so the compiler does not get to see its name. */
const packageName = '@streamparser/json' as string;

interface Package {
  readonly JSONParser: new (options: {
    readonly paths: readonly string[];
    readonly keepStack: boolean;
    readonly separator: string;
  }) => {
    onValue: (found: {readonly value?: unknown}) => void;
    readonly isEnded: boolean;
    write(text: string): void;
    end(): void;
  };
}

/** Long enough to find the list of links in an answer of an API. */
const startLength = 4096;

/**
 * The links of a JSON file, in bounded memory. It is an answer of an API, some answers one after the other or in an
 * array, an array of links, or links one after the other.
 *
 * @param path where the links are in an answer: `shortUrls.data`
 * @throws ToolError `malformed_file` where it is not JSON
 */
export async function* readRecords(content: AsyncGenerator<string>, path: string): AsyncGenerator<JsonRecord> {
  const {start, texts} = await peek(content, startLength);
  const {JSONParser} = (await import(packageName)) as Package;
  const [root = ''] = path.split('.');
  const isAnswer = new RegExp(`"${root}"\\s*:\\s*[[{]`).test(start);
  const isArray = /^\s*\[/.test(start);
  const parser = new JSONParser({
    paths: [`$${isArray ? '.*' : ''}${isAnswer ? `.${path}.*` : ''}`],
    keepStack: false,
    separator: '',
  });
  let number = 0;
  let found: JsonRecord[] = [];
  parser.onValue = ({value}) => {
    number += 1;
    found.push({number, fields: isObject(value) ? value : {}});
  };
  try {
    for await (const text of texts) {
      parser.write(text);
      yield* found;
      found = [];
    }
    if (!parser.isEnded) parser.end();
  } catch (error) {
    if (error instanceof ToolError) throw error;
    const message = `The file is not JSON after link ${number}: ${(error as Error).message.slice(0, 100)}`;
    throw new ToolError('malformed_file', message, {cause: error});
  }
  yield* found;
  if (number === 0 && !isAnswer && !isArray) throw new ToolError('malformed_file', 'The file has no links in JSON');
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The strings of a list; none where there is no list. */
export function readStrings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
