import type { Result } from '@fixpoint/protocol';
import { type QueryKey, useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useToast } from '../ui/toaster.tsx';
import { useVisit, type Visit } from '../ui/visit.ts';
import { useApp } from './app.ts';
import { failureText } from './failure-text.ts';
import { answerOf } from './queries.ts';

export interface Call<Input, T> {
  readonly call: (input: Input) => Promise<Result<T>>;
  /** What is to be asked anew once it is done. */
  readonly changes: readonly QueryKey[];
  /**
   * Comes at once: what tells of it does not wait until that is asked, which takes a while on a line that dropped.
   * @param visit of the page on which it was asked for: its user may have left
   */
  readonly onDone?: (value: T, input: Input, visit: Visit) => void | Promise<void>;
  /** Comes when that is asked: for what leads to a page that shows it. */
  readonly onFresh?: (value: T, visit: Visit) => void | Promise<void>;
}

/**
 * A call that changes something, once at a time: a second click may come before the button is drawn as disabled. It is pending until all is asked anew. What is
 * refused is shown as a message.
 */
export function useCall<Input, T>({ call, changes, onDone, onFresh }: Call<Input, T>) {
  const { queries } = useApp();
  const toast = useToast();
  const visit = useVisit();
  const [isAsking, setAsking] = useState(false);
  /** Of the call and of what is asked after it. */
  const underWay = useRef(0);
  const askAnew = async (value: T, own: Visit) => {
    underWay.current += 1;
    setAsking(true);
    await Promise.all(changes.map((queryKey) => queries.invalidateQueries({ queryKey, refetchType: 'all' })));
    underWay.current -= 1;
    setAsking(false);
    await onFresh?.(value, own);
  };
  const mutation = useMutation({
    onMutate: () => visit(),
    mutationFn: (input: Input) => answerOf(call(input)),
    onSuccess: async (value, input, own) => {
      void askAnew(value, own);
      await onDone?.(value, input, own);
    },
    onError: (error) => toast(failureText(error), { tone: 'error' }),
    onSettled: () => {
      underWay.current -= 1;
    },
  });
  const mutate = (...given: Parameters<typeof mutation.mutate>) => {
    if (underWay.current > 0) return;
    underWay.current = 1;
    mutation.mutate(...given);
  };
  return { ...mutation, isPending: mutation.isPending || isAsking, mutate };
}
