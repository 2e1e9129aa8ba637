/** Collects the errors that a connection or a store reports, and can wait for them. */
export class Told {
  readonly errors: Error[] = [];
  #watchers: Array<() => void> = [];

  readonly onError = (error: Error): void => {
    this.errors.push(error);
    for (const watcher of this.#watchers.splice(0)) watcher();
  };

  get messages(): string[] {
    return this.errors.map(({message}) => message);
  }

  /** Resolves when at least `count` errors were reported. */
  async reaches(count: number): Promise<void> {
    while (this.errors.length < count) await new Promise<void>((resolve) => this.#watchers.push(resolve));
  }
}
