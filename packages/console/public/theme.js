// Runs before the first paint, so that a dark page never flashes white.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('darkMode');
  } catch {
    // Without storage, the page follows the system.
  }
  const dark = chosen === null ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'true';
  document.documentElement.classList.toggle('dark', dark);
})();
