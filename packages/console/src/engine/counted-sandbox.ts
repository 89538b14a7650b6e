import type { Sandbox } from 'fixpoint';

/** The work of one run of a map function. */
export interface MapWork {
  readonly source: string;
  /** Documents that went through the map function. */
  readonly documents: number;
  readonly tookMs: number;
}

/**
 * Returns a sandbox that reports each run when it ends. Documents already in an index go through no
 * map function.
 */
export const countedSandbox = (sandbox: Sandbox, tell: (work: MapWork) => void): Sandbox => ({
  open: async (source) => {
    const map = await sandbox.open(source);
    let documents = 0;
    let tookMs = 0;
    return {
      run: async (batch) => {
        const began = performance.now();
        const rows = await map.run(batch);
        documents += batch.length;
        tookMs += performance.now() - began;
        return rows;
      },
      close: () => {
        map.close();
        tell({ source, documents, tookMs });
      },
    };
  },
});
