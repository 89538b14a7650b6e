/**
 * A thread that writes `count` documents and posts the id of each acknowledged document. When it
 * receives a message, it closes the database.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { fixpoint } from 'fixpoint';

const { directory, prefix, count } = workerData;
const db = fixpoint('shared', { directory });
for (let n = 0; n < count; n++) {
  const { id } = await db.put({ _id: `${prefix}-${n}` });
  parentPort.postMessage(id);
}
parentPort.once('message', () => void db.close().then(() => parentPort.postMessage('closed')));
