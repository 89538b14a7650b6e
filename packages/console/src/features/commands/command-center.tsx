import { useLocation, useNavigate } from 'react-router';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { wholePath } from '../../ui/pages/base-path.ts';
import { siteFile } from '../../ui/pages/site-links.ts';
import { toggleTheme } from '../../ui/theme/theme.ts';
import { activeStack } from '../../undo/undo-stack.ts';
import { useSignOut } from '../session/use-sign-out.ts';
import type { Action, Command } from './commands.ts';
import { Palette } from './palette.tsx';
import { ShortcutsSheet } from './shortcuts-sheet.tsx';

export type Shown = 'palette' | 'help';

interface CommandCenterProps {
  readonly shown: Shown;
  readonly show: (what: Shown | undefined) => void;
  /** The text of the palette's field, including text typed before the palette loaded. */
  readonly text: string;
  readonly setText: (text: string) => void;
}

/** Renders the palette or the sheet of shortcuts. Loaded on first use. */
export function CommandCenter({ shown, show, text, setText }: CommandCenterProps) {
  const navigate = useNavigate();
  const act = useActions(show);
  const close = () => show(undefined);
  const pick = ({ does }: Command) => {
    close();
    if ('to' in does) void navigate(does.to);
    else act(does.action);
  };
  if (shown === 'help') return <ShortcutsSheet onClose={close} />;
  return <Palette text={text} onText={setText} onPick={pick} onClose={close} />;
}

function useActions(show: (what: Shown) => void): (action: Action) => void {
  const signOut = useSignOut();
  const toast = useToast();
  const { pathname, search } = useLocation();
  const copyLink = async () => {
    try {
      await navigator.clipboard.writeText(location.origin + wholePath(pathname) + search);
      toast('Link copied.');
    } catch {
      toast('Couldn’t copy the link because the browser blocked it. Copy it from the address bar instead.', {
        tone: 'error',
      });
    }
  };
  const actions: Record<Action, () => void> = {
    theme: toggleTheme,
    undo: () => void activeStack()?.run('undo'),
    redo: () => void activeStack()?.run('redo'),
    help: () => show('help'),
    signOut: () => void signOut(),
    copyLink: () => void copyLink(),
    licenses: () => location.assign(siteFile('/third-party-licenses.txt')),
    // Print after the palette has closed.
    print: () => void setTimeout(() => window.print()),
  };
  return (action) => actions[action]();
}
