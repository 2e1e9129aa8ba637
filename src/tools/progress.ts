/** The progress of a tool. */
export interface Progress {
  /** The current phase in words, such as `copying records`. */
  readonly phase: string;
  /** How many items of the phase are done. */
  readonly done: number;
  /** The part of the phase that is done, from 0 to 1; absent if unknown. */
  readonly share?: number;
}

export type OnProgress = (progress: Progress) => void;
