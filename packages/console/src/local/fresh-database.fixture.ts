import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixpoint } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { rowsOf } from 'fixpoint/rows';
import { onTestFinished } from 'vitest';
import { forgetSteps } from '../undo/undo-stack.ts';

/** Creates a local database with these documents, which is closed and removed after the test. */
export async function freshDatabase(
  docs: readonly Readonly<Record<string, unknown>>[] = [],
  name = 'pantry',
): Promise<BridgedDatabase> {
  const directory = mkdtempSync(join(tmpdir(), 'fixpoint-console-'));
  const database = fixpoint(name, { directory, durability: 'relaxed' } as object);
  onTestFinished(async () => {
    await database.close().catch(() => undefined);
    forgetSteps(name);
    rmSync(directory, { recursive: true, force: true });
  });
  if (docs.length > 0) await database.bulk([...docs]);
  return Object.assign(database, { rows: rowsOf(database) });
}
