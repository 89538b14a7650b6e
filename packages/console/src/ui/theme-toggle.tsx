import { Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from './button.tsx';

/** Where the choice is stored (spec §2); `public/theme.js` reads it before the first paint. */
const STORED_AS = 'darkMode';
const isDark = () => document.documentElement.classList.contains('dark');

export function ThemeToggle() {
  const [dark, setDark] = useState(isDark);
  const toggle = () => {
    document.documentElement.classList.toggle('dark', !dark);
    try {
      localStorage.setItem(STORED_AS, String(!dark));
    } catch {
      // A browser that stores nothing shows the theme until the page is left.
    }
    setDark(!dark);
  };
  return (
    <IconButton label={dark ? 'Switch to light mode' : 'Switch to dark mode'} onClick={toggle}>
      {dark ? <Sun size={16} aria-hidden /> : <Moon size={16} aria-hidden />}
    </IconButton>
  );
}
