import { useLocation, useNavigate } from 'react-router';
import { Button, LinkButton } from '../../ui/button.tsx';
import { CONNECT_PATH } from './address-form.tsx';

/** Links to the login page, which leads back to this page. */
export function SignIn() {
  const { pathname, search } = useLocation();
  return (
    <LinkButton to={`/login?redirect_url=${encodeURIComponent(pathname + search)}`} size="sm">
      Sign in
    </LinkButton>
  );
}

/** Opens the connect page for a database, without a parameter that would already connect it. */
export function ConnectButton({ localName, label = 'Connect' }: { localName: string; label?: string }) {
  const navigate = useNavigate();
  return (
    <Button size="sm" onClick={() => void navigate(CONNECT_PATH, { state: { localName } })}>
      {label}
    </Button>
  );
}
