import { Moon, Sun } from 'lucide-react';
import { IconButton } from '../button.tsx';
import { toggleTheme, useIsDark } from './theme.ts';

export function ThemeToggle() {
  const dark = useIsDark();
  return (
    <IconButton label={dark ? 'Switch to light mode' : 'Switch to dark mode'} onClick={toggleTheme}>
      {dark ? <Sun size={16} aria-hidden /> : <Moon size={16} aria-hidden />}
    </IconButton>
  );
}
