/** A thread that writes so many documents, tells the id of each one that was acknowledged, then closes the database when it is told to, and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { fixpoint } from 'fixpoint';

const { directory, prefix, count } = workerData;
const db = fixpoint('shared', { directory });
for (let n = 0; n < count; n++) {
  const { id } = await db.put({ _id: `${prefix}-${n}` });
  parentPort.postMessage(id);
}
parentPort.once('message', () => void db.close().then(() => parentPort.postMessage('closed')));
