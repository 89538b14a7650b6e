import type { Sandbox } from 'fixpoint';

/** The work of one map function, from its opening until it is closed. */
export interface MapWork {
  readonly source: string;
  /** Documents that went through the map function. */
  readonly documents: number;
  readonly tookMs: number;
}

/**
 * Returns a sandbox that reports the work of each map function when the function is closed. The
 * sandbox doesn't count documents that are already in an index, because no map function reads them.
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
