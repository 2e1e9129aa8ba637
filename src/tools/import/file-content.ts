import {createReadStream} from 'node:fs';
import {stat} from 'node:fs/promises';
import type {Content} from '../../tables/texts.ts';
import {ToolError, type ToolErrorCode} from '../tool-error.ts';

/**
 * What a file has.
 *
 * @param file its path or its content
 * @param code of a file that cannot be read
 * @param onShare called with the share of the file that was read, if its size is known
 * @throws ToolError
 */
export async function* contentOf(
  file: string | Content,
  code: ToolErrorCode,
  onShare: (share: number) => void = () => undefined,
): AsyncGenerator<Uint8Array | string> {
  if (typeof file !== 'string') {
    yield* file;
    return;
  }
  try {
    const {size} = await stat(file);
    let read = 0;
    for await (const part of createReadStream(file) as AsyncIterable<Uint8Array>) {
      read += part.length;
      onShare(read / size);
      yield part;
    }
  } catch (error) {
    throw new ToolError(code, `The file cannot be read: ${(error as Error).message}`, {cause: error});
  }
}
