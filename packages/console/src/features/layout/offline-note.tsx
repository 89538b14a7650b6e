import { WifiOff } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { Notice } from '../../ui/pages/notice.tsx';

/** Says what works without a connection. */
export function OfflineNote() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  if (isOnline) return null;
  return (
    <Notice icon={<WifiOff size={16} aria-hidden />}>
      You are offline. Local databases work as always. What you write to databases of the cloud is kept here,
      and sent when the connection is back.
    </Notice>
  );
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}
