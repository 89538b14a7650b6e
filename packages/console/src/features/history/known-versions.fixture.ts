/** A document whose versions are given, each based on the next one unless it names its parents. */
import { FixpointError } from '@fixpoint/protocol';
import type { Database, DocumentVersion } from 'fixpoint';

export type KnownVersion = Partial<DocumentVersion>;

/** Returns the calls of a database that read the versions of the document milk, newest first. */
export function knownVersions(known: readonly KnownVersion[]): Pick<Database, 'history' | 'at' | 'head'> {
  const all = known.map(
    (one, at): KnownVersion => ({
      event: `version-${at}`,
      parents: at + 1 < known.length ? [`version-${at + 1}`] : [],
      value: { _id: 'milk' },
      concurrent: false,
      ...one,
    }),
  );
  const rowsAt = async ([parent]: readonly string[]) => {
    const version = all.find(({ event }) => event === parent);
    if (version?.isDropped === true) throw new FixpointError('HISTORY_COMPACTED');
    return { rows: version === undefined ? [] : [{ value: version.value ?? { _deleted: true } }] };
  };
  return {
    history: async (_id: string, { limit = 30 }: { limit?: number } = {}) => all.slice(0, limit),
    head: async () => ['version-0'],
    at: (head: readonly string[]) => ({ allDocs: () => rowsAt(head) }),
  } as unknown as Pick<Database, 'history' | 'at' | 'head'>;
}
