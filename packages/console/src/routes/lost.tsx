import { StandalonePage } from '../features/layout/standalone-page.tsx';
import { Component as PageNotFound } from './not-found.tsx';

/** Shown for any path outside of both areas. */
export function Component() {
  return (
    <StandalonePage>
      <PageNotFound />
    </StandalonePage>
  );
}
