/**
 * Reads the API key from an `Authorization` header (RFC 6750, section 2.1).
 *
 * @param header empty if the request has none
 * @returns undefined for another scheme, or if the value is not exactly one token
 */
export function readBearer(header: string): string | undefined {
  return /^bearer +([\w.~+/-]+=*)$/i.exec(header)?.[1];
}
