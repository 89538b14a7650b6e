/** What an attachment does about objects that the remote lost: it tells the remote which it found missing, and uploads again what it has. */
import type { Platform } from '../ports/platform.ts';
import { putObject } from './objects.ts';
import type { Session } from './session.ts';

/** So soon an object is neither reported nor sent again once more. */
const AGAIN_MS = 30_000;
const TOGETHER_MS = 50;

export interface Repairs extends Pick<Session, 'heal' | 'faulty'> {
  stop(): void;
}

/** @param tell tells the remote of objects that are missing or damaged there */
export function createRepairs(
  { time }: Pick<Platform, 'time'>,
  session: () => Session,
  tell: (objects: readonly string[]) => void,
): Repairs {
  const told = new Map<string, number>();
  const healed = new Map<string, number>();
  let untold: string[] = [];
  let stopTimer: (() => void) | undefined;

  /** Notes it, and gives whether it was not done a moment ago. */
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
      const connection = session().connection();
      const due = objects.filter((object) => isDue(healed, object));
      if (connection === undefined || due.length === 0) return false;
      const { healObjects } = await import('./seldom.ts');
      return (await healObjects({ session: session(), connection, putObject }, due)) > 0;
    },
    stop: () => stopTimer?.(),
  };
}
