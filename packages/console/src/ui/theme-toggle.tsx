import { Moon, Sun } from 'lucide-react';
import { useState } from 'react';

const isDark = () => document.documentElement.classList.contains('dark');

export function ThemeToggle() {
  const [dark, setDark] = useState(isDark);
  const toggle = () => {
    document.documentElement.classList.toggle('dark', !dark);
    localStorage.setItem('darkMode', String(!dark));
    setDark(!dark);
  };
  return (
    <button
      type="button"
      onClick={toggle}
      aria-label={dark ? 'Switch to light mode' : 'Switch to dark mode'}
      className="grid size-9 cursor-pointer place-items-center rounded-md hover:bg-raised"
    >
      {dark ? <Sun size={18} aria-hidden /> : <Moon size={18} aria-hidden />}
    </button>
  );
}
