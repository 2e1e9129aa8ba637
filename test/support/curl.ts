/** A copied curl command as a request: a POST if it has a body. */
export function parseCurl(command: string): {
  readonly address: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
} {
  const form = /^curl((?: -H '[^']+: [^']+')*)(?: -d '([^']*)')? '(https?:[^']+)'$/;
  const [all, fields = '', body, address = ''] = form.exec(command) ?? [];
  if (all === undefined) throw new Error(`No curl command: ${command}`);
  const headers = Array.from(
    fields.matchAll(/'([^:']+): ([^']+)'/g),
    ([, name = '', value = '']) => [name, value] as const,
  );
  return {
    address,
    method: body === undefined ? 'GET' : 'POST',
    headers: Object.fromEntries(headers),
    ...(body !== undefined && {body}),
  };
}
