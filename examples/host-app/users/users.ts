/** The site's own record of somebody who registered; the shortener knows nothing but the id. */
export interface User {
  /** The account id at the shortener: random, and the same for ever. An email address can change, an id cannot. */
  readonly id: string;
  /** Normalised: trimmed and in lower case. */
  readonly email: string;
  readonly passwordHash: string;
  /** How often the user has logged out. A session that began before the last time is over, wherever its cookie is. */
  readonly logouts: number;
}

export type NewUser = Omit<User, 'logouts'>;

/** Where users are kept. Every operation rejects with `UsersUnavailable` when the store does not answer. */
export interface Users {
  /** Adds a user; false if the email address is taken. Of any number of callers at once exactly one gets true. */
  add(user: NewUser): Promise<boolean>;
  find(email: string): Promise<User | undefined>;
  /** Ends every session of the user. */
  logOut(email: string): Promise<void>;
  /** Forgets the user; every session of theirs ends. */
  remove(email: string): Promise<void>;
  /** Resolves when the store answers. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export class UsersUnavailable extends Error {
  override readonly name = 'UsersUnavailable';
}
