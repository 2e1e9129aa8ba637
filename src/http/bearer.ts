/**
 * The API key in an `Authorization` header (RFC 6750, section 2.1).
 *
 * @param header its value; empty where the request has none
 * @returns undefined for another scheme, and for anything that is not one token
 */
export function readBearer(header: string): string | undefined {
  return /^bearer +([\w.~+/-]+=*)$/i.exec(header)?.[1];
}
