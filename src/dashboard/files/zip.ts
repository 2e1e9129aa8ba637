// Not by name: on an older Node.js the import would fail before `shortUrl` can say which version it needs.
import zlib from 'node:zlib';

/** A file in an archive. */
export interface ZipEntry {
  readonly name: string;
  readonly body: string | Buffer;
}

/** The bit that says that a name is UTF-8. */
const isUtf8 = 0x0800;

/**
 * Packs files into a ZIP archive without compressing them (PKWARE's APPNOTE): pictures are compressed already.
 *
 * @param entries at most 65,535, of less than 4 GB together, with different names
 * @param modified `yyyy-mm-dd hh:mm:ss`, from 1980 on
 */
export function packZip(entries: readonly ZipEntry[], modified: string): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const {name, body} of entries) {
    const [nameBytes, data] = [Buffer.from(name), Buffer.from(body)];
    const facts = factsOf(nameBytes, data, modified);
    const local = Buffer.concat([header(0x04034b50, 4), facts, nameBytes, data]);
    parts.push(local);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    // Version 2.0 has made it, and is needed.
    directory.push(header(0x02014b50, 6), facts, place, nameBytes);
    offset += local.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listing.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, listing, end]);
}

/** The beginning of an entry: its signature, and the version of the format, once or twice. */
function header(signature: number, length: number): Buffer {
  const bytes = Buffer.alloc(length + 2, Buffer.from([20, 0]));
  bytes.writeUInt32LE(signature, 0);
  return bytes;
}

/** What an entry says of its file, twice: before the file and in the directory. */
function factsOf(name: Buffer, data: Buffer, modified: string): Buffer {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = modified.split(/\D/).map(Number);
  const facts = Buffer.alloc(24);
  facts.writeUInt16LE(isUtf8, 0);
  facts.writeUInt16LE((hour << 11) | (minute << 5) | (second >> 1), 4);
  facts.writeUInt16LE(((year - 1980) << 9) | (month << 5) | day, 6);
  facts.writeUInt32LE(zlib.crc32(data), 8);
  facts.writeUInt32LE(data.length, 12);
  facts.writeUInt32LE(data.length, 16);
  facts.writeUInt16LE(name.length, 20);
  return facts;
}
