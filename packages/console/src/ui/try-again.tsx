import { useState } from 'react';
import { Button } from './button.tsx';

type State = 'idle' | 'asking' | 'silent';

/** Loads the page anew, once that works: without an answer of the server the browser would show a page of its own in place of the console. */
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
        {state === 'silent' && 'The server does not answer. Try again in a while.'}
      </p>
    </>
  );
}

/** Where a service worker stands in front of the page it has the page without the server. */
async function canLoad(): Promise<boolean> {
  if (navigator.serviceWorker?.controller) return true;
  return fetch(location.pathname, { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  );
}
