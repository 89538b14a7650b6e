import { isFixpointError } from '@fixpoint/protocol';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel, Skeleton } from '../../ui/pages/feedback.tsx';
import { failureText } from '../../ui/text/failure-text.ts';

export interface QueryViewProps<T> {
  readonly query: UseQueryResult<T>;
  /** Whether the frame around has no padding, because its rows have their own. */
  readonly isInset?: boolean;
  readonly children: (data: T) => ReactNode;
}

/** Shows the answer of a cloud query, or that it is loading, or why it failed. */
export function QueryView<T>({ query, isInset = false, children }: QueryViewProps<T>) {
  if (query.data !== undefined) return children(query.data);
  const state = query.isError ? (
    <ErrorPanel message={failureText(query.error)}>
      <Button onClick={() => void query.refetch()}>Try again</Button>
    </ErrorPanel>
  ) : (
    <Skeleton note={query.failureReason === null ? undefined : retryText(query.failureReason)} />
  );
  return isInset ? <div className="px-3.5 pb-3">{state}</div> : state;
}

/** Says why an attempt failed. The advice to try again would contradict the automatic attempts. */
const retryText = (error: unknown): string =>
  `${isFixpointError(error, 'FETCH') ? 'Couldn’t reach the server.' : failureText(error)} Trying again...`;
