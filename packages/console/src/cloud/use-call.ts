import type { Result } from '@fixpoint/protocol';
import { type QueryKey, useMutation } from '@tanstack/react-query';
import { useToast } from '../ui/toaster.tsx';
import { useApp } from './app.ts';
import { failureText } from './failure-text.ts';
import { answerOf } from './queries.ts';

export interface Call<Input, T> {
  readonly call: (input: Input) => Promise<Result<T>>;
  /** What is to be asked anew once it is done. */
  readonly changes: readonly QueryKey[];
  readonly onDone?: (value: T, input: Input) => void | Promise<void>;
}

/** A call that changes something. What is refused is shown as a message. */
export function useCall<Input, T>({ call, changes, onDone }: Call<Input, T>) {
  const { queries } = useApp();
  const toast = useToast();
  return useMutation({
    mutationFn: (input: Input) => answerOf(call(input)),
    onSuccess: async (value, input) => {
      await Promise.all(
        changes.map((queryKey) => queries.invalidateQueries({ queryKey, refetchType: 'all' })),
      );
      await onDone?.(value, input);
    },
    onError: (error) => toast(failureText(error), { tone: 'error' }),
  });
}
