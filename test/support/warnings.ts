/** A process warning, as Node.js emits it. */
export type Warning = Error & {readonly code?: string; readonly detail?: string};

/** The process warnings during `work`. Only for serial tests: a process has one list of warnings. */
export async function warningsOf(work: () => unknown): Promise<Warning[]> {
  const warnings: Warning[] = [];
  const note = (warning: Warning): void => void warnings.push(warning);
  process.on('warning', note);
  try {
    await work();
    // A warning is emitted in the next tick.
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off('warning', note);
  }
  return warnings;
}
