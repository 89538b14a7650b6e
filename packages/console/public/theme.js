// Before the first paint, so that a dark page never flashes white.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('darkMode');
  } catch {
    // A browser that stores nothing follows the system.
  }
  const dark = chosen === null ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'true';
  document.documentElement.classList.toggle('dark', dark);
})();
