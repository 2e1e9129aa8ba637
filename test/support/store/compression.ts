import {deflateSync, inflateSync} from 'node:zlib';

/** Like the compression packages of Keyv. */
export const compression = {
  compress: async (value: unknown) => deflateSync(JSON.stringify(value)).toString('base64'),
  decompress: async (text: string) => JSON.parse(inflateSync(Buffer.from(text, 'base64')).toString()) as unknown,
};
