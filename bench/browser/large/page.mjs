/** The page of `large-browser.mjs`. Each phase opens the same database in a new page. */
import { fixpoint } from 'fixpoint';
import { scatteredDocOf, scatteredIdOf, shuffled } from '../../documents.mjs';
import { secondsOf } from '../../seconds.mjs';

const BULK = 1000;

const PHASES = {
  fill: async (db, count) => {
    const seconds = await secondsOf(async () => {
      for (let from = 0; from < count; from += BULK)
        await db.bulk(
          Array.from({ length: Math.min(BULK, count - from) }, (_, n) => scatteredDocOf(from + n)),
        );
    });
    return { 'documents filled per second': count / seconds };
  },
  use: async (db, count) => {
    const open = await secondsOf(() => db.get(scatteredIdOf(17)));
    const order = shuffled(count).slice(0, 2000);
    const gets = await secondsOf(async () => {
      for (const n of order) await db.get(scatteredIdOf(n));
    });
    const puts = await secondsOf(async () => {
      for (const n of order.slice(0, 500)) await db.put(scatteredDocOf(n, 1));
    });
    return {
      'ms to open and get': open * 1000,
      'cold gets per second': order.length / gets,
      'awaited puts per second': 500 / puts,
    };
  },
  compact: async (db) => ({ 's to compact': await secondsOf(() => db.compact()) }),
  'use again': async (db) => ({
    'ms to open and get, compacted': (await secondsOf(() => db.get(scatteredIdOf(17)))) * 1000,
  }),
  query: async (db) => {
    const first = await secondsOf(() => db.query('rank', { range: [50, 50] }));
    let found = 0;
    const range = await secondsOf(async () => {
      found = (await db.query('rank', { range: [51, 51] })).rows.length;
    });
    const withoutDocs = await secondsOf(() => db.query('rank', { range: [52, 52], includeDocs: false }));
    return {
      's of the first query': first,
      'rows of a range': found,
      'ms of a range': range * 1000,
      'ms of a range without documents': withoutDocs * 1000,
    };
  },
};

window.phases = Object.keys(PHASES);
window.runPhase = async (name, count) => {
  const db = fixpoint('large');
  const figures = await PHASES[name](db, count);
  await db.close();
  const { usage = 0 } = await navigator.storage.estimate();
  const heap = performance.memory?.usedJSHeapSize ?? 0;
  return { ...figures, [`MB stored after: ${name}`]: usage / 1e6, [`MB of heap after: ${name}`]: heap / 1e6 };
};
