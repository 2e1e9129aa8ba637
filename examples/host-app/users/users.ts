/** A registered user of the site. The shortener only knows the id. */
export interface User {
  /** The name of the user's account in the shortener: random, and never changed, unlike an email address. */
  readonly id: string;
  /** Trimmed and in lower case. */
  readonly email: string;
  readonly passwordHash: string;
  /** How often the user has logged out. A session from before the last logout is invalid on every device. */
  readonly logouts: number;
}

export type NewUser = Omit<User, 'logouts'>;

/** The users of the site. Every operation rejects with `UsersUnavailable` if the store does not answer. */
export interface Users {
  /** Adds a user; false if the email address is taken. Of any number of concurrent callers exactly one gets true. */
  add(user: NewUser): Promise<boolean>;
  find(email: string): Promise<User | undefined>;
  /** The email address of the user with this id. */
  emailOf(id: string): Promise<string | undefined>;
  /** Ends every session of the user. */
  logOut(email: string): Promise<void>;
  /** Removes the user and ends every session of the user. */
  remove(email: string): Promise<void>;
  /** Resolves when the store answers. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export class UsersUnavailable extends Error {
  override readonly name = 'UsersUnavailable';
}
