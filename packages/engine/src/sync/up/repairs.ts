/**
 * Handles objects that the remote lost: reports missing objects to the remote, and uploads again
 * the objects that this device has.
 */
import type { Session } from '../sync-session.ts';
import type { healObjects } from './upload-lost.ts';

/** Minimum time before the same object is reported or sent again. */
const AGAIN_MS = 30_000;
const TOGETHER_MS = 50;

export interface Repairs extends Pick<Session, 'heal' | 'faulty'> {
  stop(): void;
}

/**
 * Creates the repairs.
 * @param load loads the code that uploads objects again
 * @param tell reports objects that are missing or damaged at the remote
 */
export function createRepairs(
  session: Session,
  load: () => Promise<{ readonly healObjects: typeof healObjects }>,
  tell: (objects: readonly string[]) => void,
): Repairs {
  const { time } = session.platform;
  const told = new Map<string, number>();
  const healed = new Map<string, number>();
  let untold: string[] = [];
  let stopTimer: (() => void) | undefined;

  /**
   * Returns whether the object wasn't handled within {@link AGAIN_MS}. If so, records that it is
   * handled now.
   */
  function isDue(done: Map<string, number>, object: string): boolean {
    const now = time.now();
    const before = done.get(object);
    if (before !== undefined && now >= before && now - before < AGAIN_MS) return false;
    done.set(object, now);
    return true;
  }

  return {
    faulty: (object) => {
      if (!isDue(told, object)) return;
      untold.push(object);
      stopTimer ??= time.after(TOGETHER_MS, () => {
        stopTimer = undefined;
        const objects = untold;
        untold = [];
        tell(objects);
      });
    },
    heal: async (objects) => {
      const connection = session.connection();
      const due = objects.filter((object) => isDue(healed, object));
      if (connection === undefined || due.length === 0) return false;
      return (await (await load()).healObjects(session, connection, due)) > 0;
    },
    stop: () => stopTimer?.(),
  };
}
