import { showToast } from './toaster.tsx';

/** What came of a form that an action takes. Its page shows it; where that was left meanwhile, a message does. */
export const tellIfLeft = (
  { signal }: Pick<Request, 'signal'>,
  ...message: Parameters<typeof showToast>
): void => {
  if (signal.aborted) showToast(...message);
};
