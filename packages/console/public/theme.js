// Before the first paint, so that a dark page never flashes white.
const chosen = localStorage.getItem('darkMode');
const dark = chosen === null ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'true';
document.documentElement.classList.toggle('dark', dark);
