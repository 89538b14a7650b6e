import { showToast } from '../ui/overlays/toaster.tsx';

/** Shows the result of a form's action as a message if the user left the form's page. */
export const tellIfLeft = (
  { signal }: Pick<Request, 'signal'>,
  ...message: Parameters<typeof showToast>
): void => {
  if (signal.aborted) showToast(...message);
};
