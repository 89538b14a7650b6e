import { LogOut, UserRound } from 'lucide-react';
import type { ReactElement } from 'react';
import { useNavigate } from 'react-router';
import { SESSION_KEY, useApp } from '../../cloud/app.ts';
import type { SessionUser } from '../../cloud/session.ts';
import { Menu, MenuItem, MenuLink, MenuNote, MenuSeparator } from '../../ui/menu.tsx';
import { useToast } from '../../ui/toaster.tsx';

export function UserMenu({ user: { name, email }, trigger }: { user: SessionUser; trigger: ReactElement }) {
  const { session, queries } = useApp();
  const navigate = useNavigate();
  const toast = useToast();
  const leave = async () => {
    const problem = await session.signOut();
    if (problem !== undefined) return toast(`You are still signed in. ${problem}`, { tone: 'error' });
    // The engine is not part of every page.
    const { closeLedgers } = await import('../../cloud/ledger-database.ts');
    await closeLedgers();
    queries.clear();
    queries.setQueryData(SESSION_KEY, null);
    await navigate('/login');
  };
  return (
    <Menu trigger={trigger}>
      <MenuNote>
        <span className="block max-w-56 truncate font-medium text-text">{name}</span>
        <span className="block max-w-56 truncate">{email}</span>
      </MenuNote>
      <MenuSeparator />
      <MenuLink to="/fp/cloud/account">
        <UserRound size={14} aria-hidden /> Your account
      </MenuLink>
      <MenuItem onClick={() => void leave()}>
        <LogOut size={14} aria-hidden /> Sign out
      </MenuItem>
    </Menu>
  );
}
