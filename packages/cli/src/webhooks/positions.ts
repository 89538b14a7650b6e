import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';

/** Stores how far each webhook is. */
export interface Positions {
  /**
   * Returns the stored position; undefined for a new webhook.
   * @throws FixpointError CORRUPT; the errors of the file system
   */
  load(webhook: string): Promise<string | undefined>;
  /** Resolves when the position is durable. @throws the errors of the file system */
  save(webhook: string, position: string): Promise<void>;
}

/** Stores each position in a file of its own. */
export function filePositions(folder: string): Positions {
  const fileOf = (webhook: string) => join(folder, `${webhook}.json`);
  return {
    load: async (webhook) => {
      const file = fileOf(webhook);
      try {
        return positionIn(await readFile(file, 'utf8'));
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        if (cause instanceof SyntaxError)
          throw new FixpointError('CORRUPT', `${file}: delete it to continue with later changes`, { cause });
        throw cause;
      }
    },
    save: async (webhook, position) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const draft = `${fileOf(webhook)}.draft`;
      const handle = await open(draft, 'w', 0o600);
      try {
        await handle.writeFile(JSON.stringify({ position }));
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, fileOf(webhook));
      const parent = await open(folder, 'r');
      await parent.sync().finally(() => parent.close());
    },
  };
}

/** @throws SyntaxError */
function positionIn(json: string): string {
  const { position } = JSON.parse(json) as { readonly position?: unknown };
  if (typeof position !== 'string') throw new SyntaxError('no position');
  return position;
}
