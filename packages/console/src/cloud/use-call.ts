import type { Result } from '@fixpoint/protocol';
import { type QueryKey, useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { useToast } from '../ui/toaster.tsx';
import { useVisit, type Visit } from '../ui/visit.ts';
import { useApp } from './app.ts';
import { failureText } from './failure-text.ts';
import { answerOf } from './queries.ts';

export interface Call<Input, T> {
  readonly call: (input: Input) => Promise<Result<T>>;
  /** What is to be asked anew once it is done. */
  readonly changes: readonly QueryKey[];
  /** @param visit of the page on which it was asked for: its user may have left */
  readonly onDone?: (value: T, input: Input, visit: Visit) => void | Promise<void>;
}

/** A call that changes something, once at a time: a second click may come before the button is drawn as disabled. What is refused is shown as a message. */
export function useCall<Input, T>({ call, changes, onDone }: Call<Input, T>) {
  const { queries } = useApp();
  const toast = useToast();
  const visit = useVisit();
  const isRunning = useRef(false);
  const mutation = useMutation({
    onMutate: () => visit(),
    mutationFn: (input: Input) => answerOf(call(input)),
    onSuccess: async (value, input, own) => {
      await Promise.all(
        changes.map((queryKey) => queries.invalidateQueries({ queryKey, refetchType: 'all' })),
      );
      await onDone?.(value, input, own);
    },
    onError: (error) => toast(failureText(error), { tone: 'error' }),
    onSettled: () => {
      isRunning.current = false;
    },
  });
  const mutate = (...given: Parameters<typeof mutation.mutate>) => {
    if (isRunning.current) return;
    isRunning.current = true;
    mutation.mutate(...given);
  };
  return { ...mutation, mutate };
}
