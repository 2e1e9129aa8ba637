/** Names that Windows keeps for devices, whatever follows behind a dot. */
const devices = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])(?=\.|$)/i;

/**
 * The name of a link's file, before its extension. A slash between segments cannot be part of the name of a file.
 */
export function fileNameOf(shortUrlPart: string): string {
  return shortUrlPart.replaceAll(/[/\\:*?"<>|]/g, '-').replace(devices, '$&-');
}

/** The header `Content-Disposition` of a file that is saved. Only ASCII may stand in it as it is (RFC 6266). */
export function attachment(name: string): string {
  const plain = `attachment; filename="${name.replaceAll(/[^\w.~-]/gu, '_')}"`;
  const isPlain = /^[\w.~-]*$/.test(name);
  return isPlain ? plain : `${plain}; filename*=UTF-8''${encodeURIComponent(name).replaceAll(/['()*]/g, escape)}`;
}

function escape(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
