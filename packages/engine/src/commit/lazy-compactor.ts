import type { Compactor, CompactorParts } from './compactor.ts';

/** Compaction whose code loads on first use. */
export function lazyCompactor(
  parts: CompactorParts,
): Compactor & { isMerging(): boolean; isSweeping(): boolean } {
  let loading: Promise<Compactor> | undefined;
  const running = { merge: 0, sweep: 0 };
  const load = () => {
    loading ??= import('./upkeep.ts').then(({ createCompactor }) => createCompactor(parts));
    // A page that is offline may load it next time.
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  };
  const run = async (what: keyof Compactor) => {
    running[what]++;
    try {
      await (await load())[what]();
    } finally {
      running[what]--;
    }
  };
  return {
    merge: () => run('merge'),
    sweep: () => run('sweep'),
    isMerging: () => running.merge > 0,
    isSweeping: () => running.sweep > 0,
  };
}
