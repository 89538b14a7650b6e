import type { Database } from 'fixpoint';
import { type People, whoWrote } from '../values/who-wrote.ts';

export type Histories = Pick<Database, 'history' | 'device'>;

/** Returns who wrote the latest versions of documents, each name once. @throws FixpointError */
export async function authorsOf(
  database: Histories,
  ids: readonly string[],
  people: People,
): Promise<readonly string[]> {
  const own = await database.device();
  const latest = await Promise.all(ids.map((id) => database.history(id, { limit: 1 })));
  const names = latest.flatMap(([version]) => (version === undefined ? [] : [nameOf(version, own, people)]));
  return [...new Set(names)];
}

function nameOf(version: Parameters<typeof whoWrote>[0], own: string | undefined, people: People): string {
  const { name, isPerson, device } = whoWrote(version, own, people);
  if (isPerson) return name;
  // This tab recorded no step for the change.
  if (version.device !== undefined && version.device === own) return 'Another tab on this device';
  return device === undefined ? name.replace('Unknown author', 'Somebody') : `${name} on ${device}`;
}
