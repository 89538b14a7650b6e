import { LogOut, Server, UserRound } from 'lucide-react';
import type { ReactElement } from 'react';
import type { SessionUser } from '../../cloud/identity/session-port.ts';
import { useCloudUser } from '../../cloud/queries/use-cloud.ts';
import { Menu, MenuItem, MenuLink, MenuNote, MenuSeparator } from '../../ui/overlays/menu.tsx';
import { useSignOut } from './use-sign-out.ts';

export function UserMenu({ user: { name, email }, trigger }: { user: SessionUser; trigger: ReactElement }) {
  const signOut = useSignOut();
  const isOperator = useCloudUser()?.operator === true;
  return (
    <Menu trigger={trigger}>
      <MenuNote>
        <span className="block max-w-56 truncate font-medium text-ink">{name}</span>
        <span className="block max-w-56 truncate">{email}</span>
      </MenuNote>
      <MenuSeparator />
      <MenuLink to="/fp/cloud/account">
        <UserRound size={14} aria-hidden /> Your account
      </MenuLink>
      {isOperator && (
        <MenuLink to="/fp/cloud/operator">
          <Server size={14} aria-hidden /> Operate this server
        </MenuLink>
      )}
      <MenuItem onClick={() => void signOut()}>
        <LogOut size={14} aria-hidden /> Sign out
      </MenuItem>
    </Menu>
  );
}
