import { useState } from 'react';
import { failureText } from '../text/failure-text.ts';
import { useToast } from './toaster.tsx';

export interface Task {
  readonly isBusy: boolean;
  /**
   * Runs work. If the work fails, a message shows why.
   * @param failed what couldn't be done, such as "Couldn’t save the query"
   */
  run(failed: string, work: () => Promise<unknown>): Promise<void>;
}

/** Returns a task of a button: whether it runs, and the function that runs it. */
export function useTask(): Task {
  const toast = useToast();
  const [isBusy, setBusy] = useState(false);
  const run = async (failed: string, work: () => Promise<unknown>) => {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      toast(`${failed}: ${failureText(error)}`, { tone: 'error' });
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, run };
}
