/** One slice of a measurement: about a second of one subject. */
export interface Slice {
  readonly perSecond: number;
  /** CPU time of the server per request, in microseconds. */
  readonly cpu: number;
  /** Latencies in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Round trips to the engine per request, counted by a proxy. */
  readonly trips?: number;
  /** CPU time of the engine per request, in microseconds; absent for an engine in the server itself. */
  readonly engineCpu?: number | undefined;
  /** Bytes per request in the engine's log, or in the files of the server. */
  readonly bytes?: number;
}

/** All slices of a subject. */
export interface Series {
  readonly group:
    | 'baseline'
    | 'one'
    | 'many'
    | 'one by hand'
    | 'many by hand'
    | 'one of a peer'
    | 'many of a peer'
    | 'bare page'
    | 'page'
    | 'create'
    | 'processes'
    | 'trip';
  readonly name: string;
  readonly slices: Slice[];
}

/** A subject and what it is compared with. They have slices in the same rounds. */
export interface Comparison {
  readonly subject: Series;
  readonly baseline: Series;
}

/** A figure with its quartiles. */
export interface Figure {
  readonly low: number;
  readonly value: number;
  readonly high: number;
}

/** A quantile, interpolated between the two nearest values. */
export function quantile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** The median with the quartiles. */
export function quartiles(values: readonly number[]): Figure {
  return {low: quantile(values, 0.25), value: quantile(values, 0.5), high: quantile(values, 0.75)};
}

/** How many times as good as its baseline a subject is in one round. */
type Ratio = (subject: Slice, baseline: Slice) => number;

/** Above 1, the subject is cheaper than its baseline. */
const byCpu: Ratio = (subject, baseline) => baseline.cpu / subject.cpu;

/** Above 1, the subject is faster than its baseline. */
const byRate: Ratio = (subject, baseline) => subject.perSecond / baseline.perSecond;

/** The ratios of the rounds. */
function ratiosOf({subject, baseline}: Comparison, ratio: Ratio): number[] {
  return subject.slices.flatMap((slice, round) => {
    const compared = baseline.slices[round];
    return compared === undefined ? [] : [ratio(slice, compared)];
  });
}

/**
 * The mean of ratios. Other tenants of a rented machine come and go, and the same work takes up to twice the time while
 * they are there. But the slices of a round follow each other within seconds, so their ratio changes less. Between the
 * halves of a run, ratios of medians differed by up to 17 %, and means of the ratios by 9 %.
 */
function geometricMean(ratios: readonly number[]): number {
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
}

/** The ratio of the whole run, with the quartiles of those of the rounds. */
function ratioOf(comparison: Comparison, ratio: Ratio): Figure {
  const ratios = ratiosOf(comparison, ratio);
  return {...quartiles(ratios), value: geometricMean(ratios)};
}

export function ratioByCpu(comparison: Comparison): Figure {
  return ratioOf(comparison, byCpu);
}

export function ratioByRate(comparison: Comparison): Figure {
  return ratioOf(comparison, byRate);
}

/** How far two runs are apart in one ratio, as a share of it. */
interface Difference {
  readonly ratio: string;
  readonly share: number;
}

/** The differences between the odd and the even rounds, which are two short runs on the same machine at the same time. */
export function differences(comparisons: readonly Comparison[]): Difference[] {
  return comparisons.flatMap((comparison) => {
    const {group, name: subject} = comparison.subject;
    const between = (name: string, ratio: Ratio): Difference => {
      const ratios = ratiosOf(comparison, ratio);
      const even = geometricMean(ratios.filter((_, round) => round % 2 === 0));
      const odd = geometricMean(ratios.filter((_, round) => round % 2 === 1));
      return {ratio: `${name} of "${group}: ${subject}"`, share: Math.abs(odd - even) / Math.min(odd, even)};
    };
    return [between('by CPU time', byCpu), between('by rate', byRate)];
  });
}
