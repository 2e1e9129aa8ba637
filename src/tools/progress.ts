/** How far a tool has come. */
export interface Progress {
  /** What it is doing, as a person would say it: `copying records`. */
  readonly phase: string;
  /** How many of them it has done in this phase. */
  readonly done: number;
}

export type OnProgress = (progress: Progress) => void;
