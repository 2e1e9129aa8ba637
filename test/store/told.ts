/** The outages that a store told of, to be waited for. */
export class Told {
  readonly errors: Error[] = [];
  #watchers: Array<() => void> = [];

  readonly onError = (error: Error): void => {
    this.errors.push(error);
    for (const watcher of this.#watchers.splice(0)) watcher();
  };

  /** Resolves when there have been so many. */
  async reaches(count: number): Promise<void> {
    while (this.errors.length < count) await new Promise<void>((resolve) => this.#watchers.push(resolve));
  }
}
