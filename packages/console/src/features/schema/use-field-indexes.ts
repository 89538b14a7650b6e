import type { BridgedDatabase } from 'fixpoint/bridge';
import { useCallback, useEffect, useState } from 'react';

export interface FieldIndexes {
  /** Fields whose conditions an index answers. */
  readonly indexed: ReadonlySet<string>;
  /** Fields of the full-text index. */
  readonly searched: ReadonlySet<string>;
  /** Whether the indexes are known. */
  readonly isKnown: boolean;
  /** Asks again, after an index was created. */
  again(): void;
}

const NONE = { indexed: new Set<string>(), searched: new Set<string>(), isKnown: false };

/** Returns which fields have indexes on this device. */
export function useFieldIndexes(
  database: Pick<BridgedDatabase, 'explain'>,
  paths: readonly string[],
): FieldIndexes {
  const [state, setState] = useState<Omit<FieldIndexes, 'again'>>(NONE);
  const [asked, setAsked] = useState(0);
  const all = JSON.stringify(paths);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` counts the requests to ask again
  useEffect(() => {
    let isOver = false;
    readIndexes(database, JSON.parse(all) as string[]).then(
      (read) => !isOver && setState({ ...read, isKnown: true }),
      // Without an answer, the page says nothing about indexes.
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [database, all, asked]);
  return { ...state, again: useCallback(() => setAsked((count) => count + 1), []) };
}

async function readIndexes(database: Pick<BridgedDatabase, 'explain'>, paths: readonly string[]) {
  const answers = await Promise.all(
    paths.map(async (path) => {
      const { indexes } = await database.explain({ where: { [path]: { gte: '' } } });
      return indexes.length > 0;
    }),
  );
  const { declared } = await database.explain();
  const text = declared.find(({ kind, prefix }) => kind === 'text' && prefix === '');
  return {
    indexed: new Set(paths.filter((_, at) => answers[at])),
    searched: new Set(text?.fields ?? []),
  };
}
