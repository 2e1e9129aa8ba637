import type {NewUser, User, Users} from './users.ts';

/** Users in memory. They are lost when the process ends. */
export class MemoryUsers implements Users {
  readonly #users = new Map<string, User>();

  async add(user: NewUser): Promise<boolean> {
    if (this.#users.has(user.email)) return false;
    this.#users.set(user.email, {...user, logouts: 0});
    return true;
  }

  async find(email: string): Promise<User | undefined> {
    return this.#users.get(email);
  }

  async emailOf(id: string): Promise<string | undefined> {
    for (const user of this.#users.values()) if (user.id === id) return user.email;
    return undefined;
  }

  async logOut(email: string): Promise<void> {
    const user = this.#users.get(email);
    if (user) this.#users.set(email, {...user, logouts: user.logouts + 1});
  }

  async remove(email: string): Promise<void> {
    this.#users.delete(email);
  }

  async ready(): Promise<void> {
    // Memory always answers.
  }

  async close(): Promise<void> {
    this.#users.clear();
  }
}
