/** The page of the benchmark. It loads all adapters and runs the requested workload. */
import { fireproof } from '@fireproof/core';
import { fixpoint } from 'fixpoint';
import { dexieAdapter } from '../adapters/browser/dexie.mjs';
import { rawIndexedDbAdapter } from '../adapters/browser/raw-indexeddb.mjs';
import { rxdbAdapter } from '../adapters/browser/rxdb.mjs';
import { fireproofAdapter } from '../adapters/fireproof.mjs';
import { fixpointAdapter } from '../adapters/fixpoint.mjs';
import { runWorkload } from '../workloads.mjs';

const adapters = [
  fixpointAdapter(fixpoint, 'strict'),
  fixpointAdapter(fixpoint, 'relaxed'),
  fireproofAdapter(fireproof),
  rxdbAdapter,
  dexieAdapter,
  rawIndexedDbAdapter('strict'),
  rawIndexedDbAdapter('relaxed'),
];

let places = 0;
window.adapters = adapters.map(({ name, lacks }) => ({ name, lacks }));
window.runWorkload = (adapterName, id, size) =>
  runWorkload(
    adapters.find(({ name }) => name === adapterName),
    id,
    size,
    () => `place-${Date.now()}-${places++}`,
  );
