import { FixpointError } from '@fixpoint/protocol';
import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { PastProblem } from './past-problem.tsx';

test.each([
  ['HISTORY_COMPACTED', 'This version is no longer on this device'],
  ['MISSING_BLOCK', 'You don’t have this version yet'],
  ['HEAD_INVALID', 'This link doesn’t lead to a version'],
] as const)('explains the error %s with the title "%s"', (code, title) => {
  render(<PastProblem error={new FixpointError(code)} head={['event']} isShared={false} />);
  expect(screen.getByText(title)).toBeDefined();
});
