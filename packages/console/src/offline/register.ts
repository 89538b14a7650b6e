/** Lets the console open without a network from now on. A browser that refuses (a private window, say) goes on without. */
export function keepForOffline(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const register = () => {
    navigator.serviceWorker.register('/sw.js').catch((cause: Error) => {
      document.documentElement.dataset['offline'] = cause.message;
    });
  };
  if (document.readyState === 'complete') register();
  else addEventListener('load', register, { once: true });
}
