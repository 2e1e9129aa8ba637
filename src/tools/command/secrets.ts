/** Variables of the environment that hold a connection string, and those that hold secrets. */
const ofStores = ['STORE', 'FROM', 'TO'];
const ofSecrets = ['SECRET', 'OLD_SECRETS', 'SOURCE_KEY'];

/** Shorter ones would take ordinary words out of a message. */
const minLength = 3;

/** What a message must not repeat of the arguments and the environment. */
export function secretsOf(args: readonly string[], env: Readonly<Record<string, string | undefined>>): string[] {
  const connections = [...args, ...ofStores.flatMap((name) => env[name] ?? [])];
  const secrets = ofSecrets
    .flatMap((name) => env[name] ?? [])
    .flatMap((text) => [text, ...text.split(',').map((part) => part.trim())]);
  return [...connections.flatMap(passwordsOf), ...secrets].filter(({length}) => length >= minLength);
}

/**
 * A message without secrets. Our own messages hold none; this is for those of a client or a server that repeats what it
 * was given, and for a connection string where something else was expected.
 */
export function withoutSecrets(message: string, secrets: readonly string[]): string {
  let text = message.replaceAll(/(\/\/)\S*@/g, '$1…@');
  for (const secret of secrets) text = text.replaceAll(secret, '…');
  return text;
}

/** The passwords of a connection string, as they are written and decoded. */
function passwordsOf(text: string): string[] {
  const [, login] = /\/\/(.*)@/s.exec(text) ?? [];
  const parameters = Array.from(text.matchAll(/[?&]\w*password=([^&\s]+)/gi), ([, value = '']) => value);
  const passwords = [...(login === undefined ? [] : [login.slice(login.indexOf(':') + 1)]), ...parameters];
  return passwords.flatMap((password) => [password, decoded(password)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
