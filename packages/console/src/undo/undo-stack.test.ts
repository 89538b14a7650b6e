import { describe, expect, test } from 'vitest';
import {
  createUndoStack,
  forgetSteps,
  type Mode,
  type Outcome,
  type Step,
  undoStackOf,
} from './undo-stack.ts';

/** Returns a step that notes what is done with it. */
const noted = (label: string, log: string[], more: Partial<Step> = {}): Step => ({
  label,
  undo: async (mode) => void log.push(`undo ${label} ${mode}`) as undefined,
  redo: async (mode) => void log.push(`redo ${label} ${mode}`) as undefined,
  ...more,
});

describe('the stack of a database', () => {
  test('undoes steps from the latest to the first, and redoes them in reverse', async () => {
    const log: string[] = [];
    const stack = createUndoStack();
    for (const label of ['a', 'b']) stack.record(noted(label, log));
    await Promise.all([stack.run('undo'), stack.run('undo'), stack.run('undo')]);
    await stack.run('redo');
    expect(log).toEqual(['undo b ask', 'undo a ask', 'redo a ask']);
    expect(stack.current()).toMatchObject({ news: 'Redid “a”.', isBusy: false });
  });

  test('says what Undo doesn’t restore, before and after it', async () => {
    const stack = createUndoStack();
    stack.record(noted('a', [], { undoNote: 'The file stays.' }));
    expect(stack.current().news).toBe('a. The file stays.');
    await stack.run('undo');
    expect(stack.current().news).toBe('Undid “a”. The file stays.');
  });

  test('drops undone steps when a new step is recorded', async () => {
    const log: string[] = [];
    const stack = createUndoStack();
    stack.record(noted('a', log));
    await stack.run('undo');
    stack.record(noted('b', log));
    await stack.run('redo');
    expect(log).toEqual(['undo a ask']);
    expect(stack.current().news).toBe('b.');
  });

  test('keeps at least 100 steps, within a bounded amount of memory', async () => {
    const log: string[] = [];
    const stack = createUndoStack();
    for (let at = 0; at < 500; at += 1) stack.record(noted(`${at}`, log, { bytes: 128 * 1024 }));
    const kept = stack.current().done.length;
    expect(kept).toBeGreaterThanOrEqual(100);
    for (let at = 0; at < 500; at += 1) stack.record(noted(`${at}`, log, { bytes: 8 * 1024 * 1024 }));
    expect(stack.current().done.length).toBeLessThan(5);
    stack.record(noted('huge', log, { bytes: 2 ** 31 }));
    expect(stack.current().done.map(({ label }) => label)).toEqual(['huge']);
  });

  test('keeps a step that fails, and says why it failed', async () => {
    const stack = createUndoStack();
    const undo = () => Promise.reject(new Error('the history was compacted'));
    stack.record(noted('a', [], { undo }));
    await stack.run('undo');
    expect(stack.current()).toMatchObject({ hasFailed: true, done: [{ label: 'a' }] });
    expect(stack.current().news).toContain('the history was compacted');
  });

  test('says that a long step is being undone or redone, and forgets it when it asks', async () => {
    const stack = createUndoStack();
    let end: (outcome: Outcome | undefined) => void = () => undefined;
    const wait = () => new Promise<Outcome | undefined>((resolve) => (end = resolve));
    stack.record(noted('Imported', [], { documents: 2000, undo: wait, redo: wait }));
    const undone = stack.run('undo');
    await Promise.resolve();
    expect(stack.current()).toMatchObject({ news: 'Undoing “Imported”...', isBusy: true });
    end(undefined);
    await undone;
    expect(stack.current()).toMatchObject({ news: 'Undid “Imported”.', isBusy: false });
    const redone = stack.run('redo');
    await Promise.resolve();
    expect(stack.current().news).toBe('Redoing “Imported”...');
    end({ written: 0, others: [{ id: 'a', isGone: true, fields: [] }] });
    await redone;
    expect(stack.current()).toMatchObject({ news: 'Undid “Imported”.', question: { direction: 'redo' } });
  });

  test('keeps the steps of each database until the database is deleted', () => {
    undoStackOf('one').record(noted('a', []));
    expect(undoStackOf('one').current().done).toHaveLength(1);
    expect(undoStackOf('two').current().done).toHaveLength(0);
    forgetSteps('one');
    expect(undoStackOf('one').current().done).toHaveLength(0);
  });
});

describe('a step that would overwrite the changes of others', () => {
  const other = { id: 'x', isGone: false, fields: [{ field: 'f', now: 1 }] };

  function asking() {
    const modes: Mode[] = [];
    const stack = createUndoStack();
    const undo = async (mode: Mode) => {
      modes.push(mode);
      return { written: mode === 'ask' ? 0 : 1, others: mode === 'all' ? [] : [other] };
    };
    stack.record(noted('a', [], { undo, documents: 3 }));
    return { stack, modes };
  }

  test('asks first, and ignores other calls while it asks', async () => {
    const { stack, modes } = asking();
    await stack.run('undo');
    expect(stack.current().question).toMatchObject({ direction: 'undo', others: [other] });
    await stack.run('undo');
    expect(modes).toEqual(['ask']);
  });

  test.each<[Mode, string]>([
    ['rest', 'Undid “a”, but not in 1 document that changed since.'],
    ['all', 'Undid “a”.'],
  ])('does what the answer "%s" says', async (mode, news) => {
    const { stack, modes } = asking();
    await stack.run('undo');
    await stack.answer(mode === 'ask' ? undefined : mode);
    expect(modes).toEqual(['ask', mode]);
    expect(stack.current()).toMatchObject({ news, done: [], question: undefined });
  });

  test('keeps its place when the user cancels, or does something else', async () => {
    const { stack, modes } = asking();
    await stack.run('undo');
    await stack.answer(undefined);
    expect([modes, stack.current().done.length]).toEqual([['ask'], 1]);
    await stack.run('undo');
    stack.record(noted('b', []));
    expect(stack.current().question).toBeUndefined();
    expect(stack.current().done.map(({ label }) => label)).toEqual(['a', 'b']);
  });

  describe('after the answer "all"', () => {
    const open = { ...other, hasConflict: true };

    /** Records a step of three documents that has these outcomes, one after the other. */
    async function answered(...outcomes: Outcome[]) {
      const modes: Mode[] = [];
      const stack = createUndoStack();
      const undo = async (mode: Mode) => {
        modes.push(mode);
        return outcomes.shift();
      };
      stack.record(noted('a', [], { undo, documents: 3 }));
      await stack.run('undo');
      await stack.answer('all');
      return { stack, modes };
    }

    test('asks again if another version has arrived since, and says nothing of a success', async () => {
      const { stack, modes } = await answered(
        { written: 0, others: [open] },
        { written: 0, others: [other, open] },
        { written: 3, others: [] },
      );
      expect(stack.current()).toMatchObject({
        news: 'a.',
        done: [{ label: 'a' }],
        undone: [],
        question: { direction: 'undo', others: [open], written: 0 },
      });
      await stack.answer('all');
      expect(modes).toEqual(['ask', 'all', 'all']);
      expect(stack.current()).toMatchObject({ news: 'Undid “a”.', done: [], question: undefined });
    });

    test('says what was written before it asked again', async () => {
      const { stack } = await answered(
        { written: 0, others: [open] },
        { written: 2, others: [open] },
        { written: 0, others: [] },
      );
      await stack.answer(undefined);
      const news = 'Undid “a”, but not in 1 document with a conflict.';
      expect(stack.current()).toMatchObject({ news, done: [{ label: 'a' }], question: undefined });
      await stack.run('undo');
      expect(stack.current()).toMatchObject({ news: '“a” is already undone.', done: [] });
    });
  });

  test('keeps its place, and says that it failed, if nothing was written', async () => {
    const stack = createUndoStack();
    const undo = async () => ({ written: 0, others: [other, { ...other, hasConflict: true }] });
    stack.record(noted('a', [], { undo, documents: 3 }));
    await stack.run('undo');
    await stack.answer('rest');
    expect(stack.current()).toMatchObject({
      news: 'Couldn’t undo “a” in 1 document that changed since and 1 document with a conflict.',
      hasFailed: true,
      done: [{ label: 'a' }],
      undone: [],
    });
  });
});
