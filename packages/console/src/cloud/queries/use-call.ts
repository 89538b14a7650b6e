import type { Result } from '@fixpoint/protocol';
import { type QueryKey, useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useVisit, type Visit } from '../../leaving/visit.ts';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { useApp } from '../app.ts';
import { answerOf } from './queries.ts';

export interface Call<Input, T> {
  readonly call: (input: Input) => Promise<Result<T>>;
  /** Query keys to refetch once the call is done. */
  readonly changes: readonly QueryKey[];
  /**
   * Runs before the refetch, which can be slow after a lost connection, so that a message appears
   * at once.
   * @param visit the visit of the page where the call began; the user may have left this page
   */
  readonly onDone?: (value: T, input: Input, visit: Visit) => void | Promise<void>;
  /** Runs after the refetch, to navigate to a page that shows the change. */
  readonly onFresh?: (value: T, visit: Visit) => void | Promise<void>;
}

/**
 * Returns a call that changes something. Only one call runs at a time, because users may click
 * again before the button renders as disabled. The call is pending until the refetch ends. If the
 * server rejects the call, a message shows why.
 */
export function useCall<Input, T>({ call, changes, onDone, onFresh }: Call<Input, T>) {
  const { queries } = useApp();
  const toast = useToast();
  const visit = useVisit();
  const [isAsking, setAsking] = useState(false);
  /** Counts the pending call and the refetch after it. */
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
