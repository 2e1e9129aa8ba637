/** Collects the errors that a connection or a store reports. */
export class Told {
  readonly errors: Error[] = [];

  readonly onError = (error: Error): void => {
    this.errors.push(error);
  };

  get messages(): string[] {
    return this.errors.map(({message}) => message);
  }
}
