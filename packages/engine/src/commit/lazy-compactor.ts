import type { Compactor, CompactorParts } from './compactor.ts';

/** Compaction, whose code is loaded when there is something to compact. */
export function lazyCompactor(
  parts: CompactorParts,
): Compactor & { isMerging(): boolean; isSweeping(): boolean } {
  let loading: Promise<Compactor> | undefined;
  let merging = 0;
  let sweeping = 0;
  const load = () => {
    loading ??= import('./upkeep.ts').then(({ createCompactor }) => createCompactor(parts));
    // A page that is offline may get it the next time.
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  };
  return {
    merge: async () => {
      merging++;
      try {
        await (await load()).merge();
      } finally {
        merging--;
      }
    },
    isMerging: () => merging > 0,
    isSweeping: () => sweeping > 0,
    sweep: async () => {
      sweeping++;
      try {
        await (await load()).sweep();
      } finally {
        sweeping--;
      }
    },
  };
}
