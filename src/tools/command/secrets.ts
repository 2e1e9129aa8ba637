import {percentDecoded} from '../../values/parse-url.ts';

/** Environment variables with connection strings, and with secrets. */
const ofStores = ['STORE', 'FROM', 'TO'];
const ofSecrets = ['SHORT_URL_SECRET', 'OLD_SECRETS', 'SOURCE_KEY'];

/** Shorter texts are not replaced, because they also occur in ordinary words. */
const minLength = 3;

/** The secrets in the arguments and the environment, which no message may repeat. */
export function secretsOf(args: readonly string[], env: Readonly<Record<string, string | undefined>>): string[] {
  const connections = [...args, ...ofStores.flatMap((name) => env[name] ?? [])];
  const secrets = ofSecrets
    .flatMap((name) => env[name] ?? [])
    .flatMap((text) => [text, ...text.split(',').map((part) => part.trim())]);
  return [...connections.flatMap(passwordsOf), ...secrets].filter(({length}) => length >= minLength);
}

/**
 * Replaces secrets in a message. Our own messages have none. A client or a server may repeat its input, and a connection
 * string may be given in the place of another argument.
 */
export function withoutSecrets(message: string, secrets: readonly string[]): string {
  let text = message.replaceAll(/\S+/g, withoutLogin);
  for (const secret of secrets) text = text.replaceAll(secret, '…');
  return text;
}

/** Replaces the login of a URL, in linear time. */
function withoutLogin(word: string): string {
  const start = word.indexOf('//');
  const end = word.lastIndexOf('@');
  return start === -1 || end < start ? word : `${word.slice(0, start + 2)}…${word.slice(end)}`;
}

/** The passwords of a connection string, encoded and decoded. */
function passwordsOf(text: string): string[] {
  const [, login] = /\/\/(.*)@/s.exec(text) ?? [];
  const parameters = Array.from(text.matchAll(/[?&]\w*password=([^&\s]+)/gi), ([, value = '']) => value);
  const passwords = [...(login === undefined ? [] : [login.slice(login.indexOf(':') + 1)]), ...parameters];
  return passwords.flatMap((password) => [password, percentDecoded(password) ?? password]);
}
