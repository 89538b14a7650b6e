import { statfs } from 'node:fs/promises';
import type { Metrics } from './metrics.ts';

/** Measures the disk of a folder on each scrape. */
export function measureDisk(metrics: Metrics, folder: string): void {
  const read = async () => statfs(folder).catch(() => ({ bavail: 0, blocks: 0, bsize: 0 }));
  metrics.gauge('fixpoint_disk_free_bytes', 'Free bytes on the disk of FIXPOINT_DATA', async () => {
    const { bavail, bsize } = await read();
    return bavail * bsize;
  });
  metrics.gauge('fixpoint_disk_size_bytes', 'Size of the disk of FIXPOINT_DATA', async () => {
    const { blocks, bsize } = await read();
    return blocks * bsize;
  });
}
