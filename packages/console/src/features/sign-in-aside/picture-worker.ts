/**
 * Runs the two databases of the picture in a worker. So the form never waits for them, and the
 * scripts of the page don't contain the engine.
 */
import type { FromPictureWorker, ToPictureWorker } from './picture-state.ts';
import { openTwoDatabases } from './two-databases.ts';

const send = (message: FromPictureWorker) => self.postMessage(message);

const opened = openTwoDatabases((state) => send({ state }));
opened.then(
  () => send({ isOpen: true }),
  () => self.close(),
);

self.addEventListener('message', ({ data }: MessageEvent<ToPictureWorker>) => {
  const work = async () => {
    const databases = await opened;
    if ('speakers' in data) await databases.write(data.name, data.id, data.speakers);
    else await databases.connect(data.name, data.isOnline);
  };
  // Without the change, the picture stays as it is.
  work().catch(() => undefined);
});
