/** The user of a resource: a test, or a program. Its teardown releases the resource. */
export interface Owner {
  teardown(undo: () => unknown): void;
}

/** Releases all that the owner got during the work, the last first. */
export async function withOwner<Result>(work: (owner: Owner) => Promise<Result>): Promise<Result> {
  const undos: Array<() => unknown> = [];
  try {
    return await work({teardown: (undo) => void undos.push(undo)});
  } finally {
    for (const undo of undos.reverse()) await undo();
  }
}
