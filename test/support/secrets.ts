/** The forms in which a secret could be found: plain, escaped, in either base64 alphabet, in hexadecimal. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    encodeURIComponent(encodeURIComponent(secret)),
    new URLSearchParams({x: secret}).toString().slice(2),
    hex.replaceAll(/../g, '%$&'),
    hex,
    ...[0, 1, 2].flatMap((offset) => within(bytes, offset)),
  ];
}

/** The base64 of the bytes at each offset in a longer text, without the characters that depend on their neighbours. */
function within(bytes: Buffer, offset: number): string[] {
  const length = Math.floor((offset + bytes.length) / 3) * 3;
  const padded = Buffer.concat([Buffer.alloc(offset), bytes]).subarray(0, length);
  const start = Math.ceil((offset * 4) / 3);
  return [padded.toString('base64').slice(start), padded.toString('base64url').slice(start)];
}

/** The names of the secrets that a text contains, in any form and any case of escapes. */
export function secretsIn(text: string, secrets: Readonly<Record<string, string>>): string[] {
  const lower = text.toLowerCase();
  return Object.entries(secrets)
    .filter(([, secret]) => formsOf(secret).some((form) => text.includes(form) || lower.includes(form.toLowerCase())))
    .map(([name]) => name);
}
