/**
 * The products that run in Node. Each is imported on demand, so that a process loads only the
 * product that it measures.
 */
export const NODE_ADAPTERS = {
  'Fixpoint strict': () => fixpointIn('strict'),
  'Fixpoint relaxed': () => fixpointIn('relaxed'),
  'Fireproof 0.24': async () => {
    const [{ fireproof }, { fireproofAdapter }] = await Promise.all([
      import('@fireproof/core'),
      import('../fireproof.mjs'),
    ]);
    return fireproofAdapter(fireproof, (folder) => ({ storeUrls: { base: `file://${folder}` } }));
  },
  'PouchDB 9': async () => (await import('./pouchdb.mjs')).pouchdbAdapter,
  'Automerge 3': async () => (await import('./automerge.mjs')).automergeAdapter,
  'append + fdatasync': async () => (await import('./raw-append.mjs')).rawAppendAdapter,
};

async function fixpointIn(durability) {
  const [{ fixpoint }, { fixpointAdapter }] = await Promise.all([
    import('fixpoint'),
    import('../fixpoint.mjs'),
  ]);
  return fixpointAdapter(fixpoint, durability, (directory) => ({ directory }));
}
