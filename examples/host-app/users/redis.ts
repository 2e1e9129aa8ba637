import {createClient} from '@keyv/redis';
import {type NewUser, type User, type Users, UsersUnavailable} from './users.ts';

/** For connecting and for each command, in milliseconds. */
const commandTimeout = 2000;

const userKey = (email: string): string => `host-app:user:${email}`;
const emailKey = (id: string): string => `host-app:email:${id}`;
const logoutsKey = (email: string): string => `host-app:logouts:${email}`;

/** Users in the Redis database that has the links, under another prefix. */
export class RedisUsers implements Users {
  readonly #client: ReturnType<typeof createClient>;
  /** Resolves when the first attempt to connect has succeeded or failed. The client keeps reconnecting. */
  readonly #attempted: Promise<void>;

  constructor(url: string) {
    this.#client = createClient({
      url,
      // A command that has failed here must not be sent later.
      disableOfflineQueue: true,
      socket: {
        connectTimeout: commandTimeout,
        reconnectStrategy: (attempts) => Math.min(50 * 2 ** attempts, commandTimeout),
      },
    });
    this.#attempted = new Promise((resolve) => {
      this.#client.on('ready', resolve);
      // Each command rejects with the error, so ignore the event.
      this.#client.on('error', () => {
        resolve();
      });
    });
    this.#client.connect().catch(() => undefined);
  }

  async add(user: NewUser): Promise<boolean> {
    // First, so that no user is without it. An interrupted registration leaves it behind, which does no harm.
    await this.#ask(() => this.#client.set(emailKey(user.id), user.email));
    const answer = await this.#ask(() =>
      this.#client.set(userKey(user.email), JSON.stringify(user), {condition: 'NX'}),
    );
    if (answer !== 'OK') await this.#ask(() => this.#client.del(emailKey(user.id)));
    return answer === 'OK';
  }

  async find(email: string): Promise<User | undefined> {
    const [user, logouts] = await this.#ask(() => this.#client.mGet([userKey(email), logoutsKey(email)]));
    return user ? {...(JSON.parse(user) as NewUser), logouts: Number(logouts ?? 0)} : undefined;
  }

  async emailOf(id: string): Promise<string | undefined> {
    return (await this.#ask(() => this.#client.get(emailKey(id)))) ?? undefined;
  }

  async logOut(email: string): Promise<void> {
    await this.#ask(() => this.#client.incr(logoutsKey(email)));
  }

  async remove(email: string): Promise<void> {
    const user = await this.find(email);
    if (user === undefined) return;
    await this.#ask(() => this.#client.del([userKey(email), logoutsKey(email), emailKey(user.id)]));
  }

  async ready(): Promise<void> {
    await this.#ask(() => this.#client.ping());
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  async #ask<Answer>(command: () => Promise<Answer>): Promise<Answer> {
    await this.#attempted;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`Redis did not answer within ${commandTimeout} ms`));
      }, commandTimeout);
    });
    try {
      return await Promise.race([command(), late]);
    } catch (error) {
      throw new UsersUnavailable('Redis does not answer', {cause: error});
    } finally {
      clearTimeout(timer);
    }
  }
}
