/**
 * Whether work on eight times as much takes less than 24 times the CPU time; if it were quadratic, it would take 64 times.
 * The shortest of three runs counts, so that a busy machine makes no difference.
 */
export async function isLinear(size: number, work: (size: number) => unknown): Promise<boolean> {
  // The first run compiles the code.
  await work(size);
  return (await cpuTime(() => work(8 * size))) < 24 * (await cpuTime(() => work(size))) + 20_000;
}

/** In microseconds. */
async function cpuTime(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < 3; run += 1) {
    const before = process.cpuUsage();
    await work();
    times.push(process.cpuUsage(before).user);
  }
  return Math.min(...times);
}
