/** What a database in Node lies in: logs for what is short, files of their own for what is long. */
import type { ByteStore, Durability } from '../../ports/byte-store.ts';
import type { FileSystem } from '../../ports/file-system.ts';
import type { Time } from '../../ports/time.ts';
import { withLargeValues } from './large-values.ts';
import { openLogStore } from './log-store.ts';

/** Archives, their indexes, attached files, and what is kept for this device, when they are long: a log of them would be long to rewrite. */
const LONG = { keys: /^(car|idx|file|local)\//, bytesMin: 65_536 };

/** @throws FixpointError CORRUPT, FORMAT_NEWER, STORE_LOCKED, STORE_FAILED */
export async function openNodeStore(
  folder: string,
  durability: Durability,
  files: FileSystem,
  time: Time,
  report: (error: unknown) => void,
): Promise<ByteStore> {
  const log = await openLogStore(folder, durability, files, time);
  return withLargeValues(log, `${folder}/files`, { ...LONG, files, report });
}
