import type {Progress} from '../progress.ts';

/** Shows the progress of a tool in the last line of a terminal. */
export interface ProgressDisplay {
  show(progress: Progress): void;
  /** Ends the display, so that other output can follow. */
  stop(): void;
}

/** Width of the bar, in characters. */
const width = 30;

/** Steps of the bar: more than its characters, so that it is precise, and few, so that it is rarely drawn. */
const steps = 1000;

/** Opens a display on a terminal. Other streams show nothing, and the library is not loaded. */
export async function openProgress(stream: NodeJS.WriteStream): Promise<ProgressDisplay> {
  if (!stream.isTTY) return {show: () => undefined, stop: () => undefined};
  const {default: progress} = await import('cli-progress');
  const format = (_: unknown, {progress: share}: {progress: number}, {phase, done, isKnown}: Payload): string => {
    const full = Math.round(share * width);
    const bar = isKnown ? ` ${'█'.repeat(full)}${'░'.repeat(width - full)} ${Math.floor(share * 100)}%` : '';
    return `${phase}${bar} ${done.toLocaleString('en')}`;
  };
  const newBar = (): InstanceType<typeof progress.SingleBar> =>
    // The library's listener for signals would keep Ctrl+C from ending the process.
    new progress.SingleBar({stream, format: format as never, gracefulExit: false, linewrap: true, hideCursor: false});
  let bar = newBar();
  let current: string | undefined;
  return {
    show({phase, done, share}) {
      const payload: Payload = {phase, done, isKnown: share !== undefined};
      const value = Math.round(Math.min(share ?? 0, 1) * steps);
      if (phase === current) {
        bar.update(value, payload);
        return;
      }
      bar.stop();
      bar = newBar();
      current = phase;
      bar.start(steps, value, payload);
    },
    stop() {
      bar.stop();
    },
  };
}

interface Payload {
  readonly phase: string;
  readonly done: number;
  /** Whether the total amount of work is known. */
  readonly isKnown: boolean;
}
