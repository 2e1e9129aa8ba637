/**
 * Whether work on eight times as much takes less than 24 times the CPU time; if it were quadratic, it would take 64 times.
 * The shortest of up to eight runs counts, so that a busy machine makes no difference.
 */
export async function isLinear(size: number, work: (size: number) => unknown): Promise<boolean> {
  // The first run compiles the code.
  await work(size);
  let [small, large] = [Infinity, Infinity];
  for (let run = 0; run < 8; run += 1) {
    small = Math.min(small, await cpuTime(() => work(size)));
    large = Math.min(large, await cpuTime(() => work(8 * size)));
    if (run > 1 && large < 24 * small + 20_000) return true;
  }
  return false;
}

/** In microseconds, also that of the kernel, because which of the two is which is an estimate. */
async function cpuTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const {user, system} = process.cpuUsage(before);
  return user + system;
}
