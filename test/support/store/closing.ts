import type {ExecutionContext} from 'ava';

/** Closes a connection with a command under way, and checks that it closes only after the answer. */
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
