import { useLocation, useNavigate } from 'react-router';
import { Button, LinkButton, type Tone } from '../../ui/button.tsx';
import { CONNECT_PATH } from './address-form.tsx';

/** Links to the login page, which leads back to this page. */
export function SignIn() {
  const { pathname, search } = useLocation();
  return <LinkButton to={`/login?redirect_url=${encodeURIComponent(pathname + search)}`}>Sign in</LinkButton>;
}

export interface ConnectButtonProps {
  readonly localName: string;
  readonly label?: string;
  readonly tone?: Tone;
}

/** Opens the connect page for a database, without a parameter that would already connect it. */
export function ConnectButton({ localName, label = 'Connect', tone = 'plain' }: ConnectButtonProps) {
  const navigate = useNavigate();
  return (
    <Button tone={tone} onClick={() => void navigate(CONNECT_PATH, { state: { localName } })}>
      {label}
    </Button>
  );
}
