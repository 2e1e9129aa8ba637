import type {Progress} from '../progress.ts';

/** Shows the progress of a tool in the last line of a terminal. */
export interface ProgressDisplay {
  show(progress: Progress): void;
  /** Ends the display, so that other output can follow. */
  stop(): void;
}

/** Width of the bar, in characters. */
const width = 30;

/** Opens a display on a terminal. Other streams show nothing. */
export function openProgress(stream: NodeJS.WriteStream): ProgressDisplay {
  /** The phase in the last line of the terminal; undefined if there is none. */
  let shown: string | undefined;
  const stop = (): void => {
    if (shown !== undefined) stream.write('\n');
    shown = undefined;
  };
  return {
    show({phase, done, share}) {
      if (!stream.isTTY) return;
      if (phase !== shown) stop();
      shown = phase;
      // The line is cleared to its end.
      stream.write(
        `\r${phase}${share === undefined ? '' : barOf(Math.min(share, 1))} ${done.toLocaleString('en')}\u001B[K`,
      );
    },
    stop,
  };
}

function barOf(share: number): string {
  const full = Math.round(share * width);
  return ` ${'█'.repeat(full)}${'░'.repeat(width - full)} ${Math.floor(share * 100)}%`;
}
