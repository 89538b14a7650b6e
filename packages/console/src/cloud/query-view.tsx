import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { ErrorPanel, Skeleton } from '../ui/feedback.tsx';
import { failureText } from './failure-text.ts';

export interface QueryViewProps<T> {
  readonly query: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
}

/** The answer of a cloud call, or that it is on its way, or why there is none. */
export function QueryView<T>({ query, children }: QueryViewProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError)
    return (
      <ErrorPanel message={failureText(query.error)}>
        <Button size="sm" onClick={() => void query.refetch()}>
          Try again
        </Button>
      </ErrorPanel>
    );
  const note =
    query.failureReason === null ? undefined : `${failureText(query.failureReason)} Trying again ...`;
  return <Skeleton note={note} />;
}
