/** Draws of `count` items with a Zipf distribution: the weight of rank n is 1/n. Every run has the same draws. */
export function zipf(count: number, draws: number): Uint32Array {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank += 1) sums[rank] = sum += 1 / (rank + 1);
  let seed = 1;
  return Uint32Array.from({length: draws}, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return rankOf(sums, (seed / 2_147_483_647) * sum);
  });
}

/** The first rank whose cumulative weight is at least the drawn number. */
function rankOf(sums: Float64Array, drawn: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 0) < drawn) low = middle + 1;
    else high = middle;
  }
  return low;
}
