import type { Result } from '@fixpoint/protocol';
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { refused } from '../../cloud/identity/auth-routes.ts';
import type { Account } from '../../cloud/identity/session-port.ts';
import { accountQueries } from '../../cloud/queries/queries.ts';
import { loginPath } from '../../cloud/sign-in/require-user.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { ErrorPanel } from '../../ui/pages/feedback.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { useStartOver } from '../session/use-sign-out.ts';
import { PasswordDialog } from './password-dialog.tsx';

type Confirmed = <T>(call: () => Promise<Result<T>>) => Promise<Result<T>>;

const ConfirmContext = createContext<Confirmed>((call) => call());

/**
 * Returns a function that makes a call. If the server requires a recent sign-in, the function asks
 * users to confirm their identity, and then repeats the call.
 */
export const useConfirmed = (): Confirmed => useContext(ConfirmContext);

export interface ConfirmIdentityProps {
  readonly confirm: Account['confirm'];
  /** The page to return to after signing in again. */
  readonly here: string;
  readonly children: ReactNode;
}

export function ConfirmIdentity({ confirm = {}, here, children }: ConfirmIdentityProps) {
  const [asked, setAsked] = useState<{ readonly answer: (isConfirmed: boolean) => void }>();
  const question = useRef<Promise<boolean>>(undefined);
  const confirmed = useCallback<Confirmed>(async (call) => {
    const first = await call();
    if (first.ok || first.error.code !== 'CONFIRM_IDENTITY') return first;
    // All waiting calls share one prompt.
    question.current ??= new Promise<boolean>((answer) => setAsked({ answer })).finally(() => {
      question.current = undefined;
      setAsked(undefined);
    });
    return (await question.current) ? call() : NOTHING_DONE;
  }, []);
  return (
    <ConfirmContext value={confirmed}>
      {children}
      {asked !== undefined && <Ask confirm={confirm} here={here} onAnswer={asked.answer} />}
    </ConfirmContext>
  );
}

/**
 * Fetches the ways to confirm, for pages that don't show the account. Accounts at Clerk have no
 * such ways, so their users sign in again.
 */
export function WithConfirm({ here, children }: Omit<ConfirmIdentityProps, 'confirm'>) {
  const offers = useQuery(accountQueries.offers(useApp().session));
  return (
    <ConfirmIdentity confirm={offers.data?.confirm} here={here}>
      {children}
    </ConfirmIdentity>
  );
}

/** The user cancelled. */
const NOTHING_DONE = refused('Nothing was changed.');

const TITLE = 'Confirm that it’s you';
const WHY = 'You signed in a while ago. Prove who you are to make this change.';

interface AskProps {
  readonly confirm: NonNullable<Account['confirm']>;
  readonly here: string;
  readonly onAnswer: (isConfirmed: boolean) => void;
}

function Ask({ confirm: { byPassword, byPasskey, elsewhere }, here, onAnswer }: AskProps) {
  const { session } = useApp();
  const startOver = useStartOver();
  const [problem, setProblem] = useState<string>();
  const cancel = () => onAnswer(false);
  const tryPasskey = async () => {
    const answer = await byPasskey?.();
    if (answer?.ok === true) onAnswer(true);
    else if (answer !== undefined) setProblem(failureText(answer.error));
  };
  const passkey = byPasskey && <Button onClick={() => void tryPasskey()}>Use a passkey</Button>;
  const goElsewhere = async () => {
    const tried = await session.signInElsewhere(here);
    if (tried.is === 'refused') setProblem(tried.why);
  };
  if (byPassword !== undefined)
    return (
      <PasswordDialog
        title={TITLE}
        description={WHY}
        action="Confirm"
        run={byPassword}
        problem={problem}
        more={
          (passkey || elsewhere) && (
            <>
              {passkey}
              {elsewhere && <Button onClick={() => void goElsewhere()}>{elsewhere}</Button>}
            </>
          )
        }
        onDone={() => onAnswer(true)}
        onClose={cancel}
      />
    );
  return (
    <Dialog
      open
      onClose={cancel}
      title={TITLE}
      description={WHY}
      actions={
        <>
          <Button onClick={cancel}>Cancel</Button>
          {passkey}
          <Button
            tone="primary"
            onClick={() =>
              void (elsewhere === undefined ? startOver(loginPath(location.href)) : goElsewhere())
            }
          >
            {elsewhere ?? 'Sign in again'}
          </Button>
        </>
      }
    >
      {problem === undefined ? undefined : <ErrorPanel message={problem} />}
    </Dialog>
  );
}
