/** The four forms of base64 in RFC 4648: two alphabets, each with padding and without. */
export const variants = {
  'standard, padded': (value: string | Uint8Array) => Buffer.from(value).toString('base64'),
  'standard, unpadded': (value: string | Uint8Array) => Buffer.from(value).toString('base64').replace(/=+$/, ''),
  'URL-safe, padded': (value: string | Uint8Array) => toUrlAlphabet(Buffer.from(value).toString('base64')),
  'URL-safe, unpadded': (value: string | Uint8Array) => Buffer.from(value).toString('base64url'),
} as const;

export type Variant = keyof typeof variants;

export const variantNames = Object.keys(variants) as Variant[];

/** Standard alphabet with padding, as the specification means it. */
export const standard = variants['standard, padded'];

/** URL-safe alphabet without padding, which fits in one path segment. */
export const urlSafe = variants['URL-safe, unpadded'];

function toUrlAlphabet(value: string): string {
  return value.replaceAll('+', '-').replaceAll('/', '_');
}
