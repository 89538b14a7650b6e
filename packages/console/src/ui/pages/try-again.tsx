import { useState } from 'react';
import { Button } from '../button.tsx';

type State = 'idle' | 'asking' | 'silent';

/**
 * Reloads the page once the server answers. Without an answer, the browser would replace the
 * console with its own error page.
 */
export function TryAgain() {
  const [state, setState] = useState<State>('idle');
  const again = async () => {
    setState('asking');
    if (await canLoad()) location.reload();
    else setState('silent');
  };
  return (
    <>
      <Button disabled={state === 'asking'} onClick={() => void again()}>
        Try again
      </Button>
      <p role="status" className="order-last basis-full empty:hidden">
        {state === 'silent' && 'The server doesn’t answer. Try again later.'}
      </p>
    </>
  );
}

/** Returns whether a reload would work. A service worker can load the page without the server. */
async function canLoad(): Promise<boolean> {
  if (navigator.serviceWorker?.controller) return true;
  return fetch(location.pathname, { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  );
}
