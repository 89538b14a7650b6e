import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { simulatedTime } from '../testing/simulated-time.ts';
import { createAttempts } from './attempts.ts';

/** Creates a writer that competes with others. */
function writer({ inTurns = false, isMovedOn = async () => true } = {}) {
  const time = simulatedTime();
  const seen = { turns: 0, hints: 0, reloads: 0 };
  let isClosed = false;
  const { attempts } = createAttempts({
    store: inTurns
      ? {
          inTurn: (work) => {
            seen.turns++;
            return work();
          },
        }
      : {},
    channel: { post: () => void seen.hints++, onHint: () => () => undefined, close: () => undefined },
    time,
    reload: () => {
      seen.reloads++;
      return isMovedOn();
    },
    requireOpen: () => {
      if (isClosed) throw new FixpointError('DATABASE_CLOSED');
    },
  });
  const close = () => {
    isClosed = true;
  };
  return { time, seen, attempts, close };
}

/** Creates a step that fails this number of times because other writers are faster. */
function overtaken(times: number) {
  let tries = 0;
  const step = async () => ++tries > times;
  return { step, tries: () => tries };
}
const code = (name: string) => expect.objectContaining({ code: name }) as Error;

describe('a step that competes with other writers', () => {
  test('[R9] reloads the stored state and retries until the step succeeds', async () => {
    const { attempts, seen } = writer();
    const { step, tries } = overtaken(49);
    await attempts(step);
    expect({ ...seen, tries: tries() }).toEqual({ turns: 0, hints: 0, reloads: 49, tries: 50 });
  });

  test.each([
    ['without turns', false, 50],
    ['in turns', true, 52],
  ])('[R9] gives up when other writers are always faster, %s', async (_, inTurns, triesMax) => {
    const { attempts, seen } = writer({ inTurns });
    const { step, tries } = overtaken(Number.POSITIVE_INFINITY);
    await expect(attempts(step)).rejects.toThrow(code('STORE_FAILED'));
    expect({ hints: seen.hints, tries: tries() }).toEqual({ hints: 1, tries: triesMax });
  });

  test('[R9] takes turns after two failed tries, and for further steps within a second', async () => {
    const { attempts, seen, time } = writer({ inTurns: true });
    await attempts(overtaken(1).step);
    expect(seen).toMatchObject({ turns: 0, hints: 0 });
    await attempts(overtaken(2).step);
    expect(seen).toMatchObject({ turns: 1, hints: 1 });
    await time.pass(999);
    await attempts(overtaken(0).step);
    // While writers take turns, a waiting writer sends no more hints.
    expect(seen).toMatchObject({ turns: 2, hints: 1 });
    await time.pass(999);
    await attempts(overtaken(0).step);
    expect(seen).toMatchObject({ turns: 3, hints: 1 });
    await time.pass(1000);
    await attempts(overtaken(0).step);
    expect(seen).toMatchObject({ turns: 3, hints: 1 });
  });

  test('[R8] retries after a missing block if another writer moved the head, and otherwise reports the block', async () => {
    const gone = new FixpointError('MISSING_BLOCK', 'dropped');
    let tries = 0;
    const step = async () => {
      if (++tries === 1) throw gone;
      return true;
    };
    await writer().attempts(step);
    expect(tries).toBe(2);
    tries = 0;
    await expect(writer({ isMovedOn: async () => false }).attempts(step)).rejects.toBe(gone);
    expect(tries).toBe(1);
  });

  test('rethrows any other failure, and does nothing in a closed database', async () => {
    const { attempts, seen, close } = writer();
    const full = new FixpointError('STORE_FULL');
    await expect(attempts(() => Promise.reject(full))).rejects.toBe(full);
    close();
    await expect(attempts(async () => true)).rejects.toThrow(code('DATABASE_CLOSED'));
    expect(seen.reloads).toBe(0);
  });
});
