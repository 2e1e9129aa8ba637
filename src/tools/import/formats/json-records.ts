import {ToolError} from '../../tool-error.ts';
import {peek} from '../../../tables/texts.ts';
import {isMembers} from '../../../values/objects.ts';

/** An object of a file, and its number, from 1. Any other value becomes an empty object. */
export interface JsonRecord {
  readonly number: number;
  readonly fields: Fields;
}

export type Fields = Readonly<Record<string, unknown>>;

/** The types of this package fail without `skipLibCheck`, so its name is hidden from the compiler. */
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

/** The maximum number of characters of a link, and of what is between two links. */
const maxRecord = 1_000_000;

/** How many characters are read to find the list of links in a response. */
const startLength = 4096;

/**
 * Reads the links of a JSON file in bounded memory. The file is a response of an API, several responses in sequence or
 * in an array, an array of links, or links in sequence.
 *
 * @param path the path of the links in a response, such as `shortUrls.data`
 * @throws ToolError `malformed_file` if it is not JSON
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
  let length = 0;
  const depth = new JsonDepth();
  let found: JsonRecord[] = [];
  parser.onValue = ({value}) => {
    number += 1;
    found.push({number, fields: isMembers(value) ? value : {}});
  };
  try {
    for await (const text of texts) {
      depth.feed(text);
      parser.write(text);
      length = found.length > 0 ? 0 : length + text.length;
      if (length > maxRecord) throw new Error(`a link has more than ${maxRecord} characters`);
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
  if (number === 0 && !isAnswer && !isArray) throw new ToolError('malformed_file', 'The file has no JSON links');
}

/** Deeper than any answer of an API. */
const maxDepth = 64;

/** Counts the open brackets of JSON before a parser keeps something for each of them. */
export class JsonDepth {
  #depth = 0;
  #isText = false;
  #isEscaped = false;

  /** @throws Error if brackets are nested too deeply */
  feed(text: string): void {
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (this.#isText) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (code === 0x5c) this.#isEscaped = true;
        else if (code === 0x22) this.#isText = false;
      } else if (code === 0x22) this.#isText = true;
      else if (code === 0x5b || code === 0x7b) this.#depth += 1;
      else if (code === 0x5d || code === 0x7d) this.#depth -= 1;
      if (this.#depth > maxDepth) throw new Error(`brackets are nested more than ${maxDepth} deep`);
    }
  }
}
