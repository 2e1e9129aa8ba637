/** How far a tool has come. */
export interface Progress {
  /** What it is doing, as a person would say it: `copying records`. */
  readonly phase: string;
  /** How many of them it has done in this phase. */
  readonly done: number;
  /** The part of the phase that is done, from 0 to 1; absent where it is not known. */
  readonly share?: number;
}

export type OnProgress = (progress: Progress) => void;
