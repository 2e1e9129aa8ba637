/** The shortest of five runs, in milliseconds, so that a pause of the machine does not count. */
export function shortestTime(work: () => unknown): number {
  const times = Array.from({length: 5}, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return Math.min(...times);
}
