import type {ExecutionContext} from 'ava';

/** Closes a connection that waits for an answer, and holds it to waiting until the answer is given. */
export async function closesOnlyAfter(
  t: ExecutionContext,
  connection: {close(): Promise<void>},
  answer: () => void,
): Promise<void> {
  let isClosed = false;
  const closed = connection.close().then(() => {
    isClosed = true;
  });
  await Promise.resolve();
  t.false(isClosed);
  answer();
  await closed;
}
