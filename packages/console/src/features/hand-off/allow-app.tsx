import { ShieldQuestion } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/pages/feedback.tsx';
import { Card } from '../../ui/pages/page.tsx';
import { failureText } from '../../ui/text/failure-text.ts';

export interface AllowAppProps {
  /** The name that the app's developer chose. Nobody verified it, so the origin is shown, too. */
  readonly name: string;
  readonly origin: string;
  /** Name of the tenant that registered the app. */
  readonly tenant: string;
  /** Signs the user in to the app. */
  readonly onAgree: () => Promise<void>;
  readonly onRefuse: () => void;
}

/** Asks whether an app may sign the user in. Sends nothing before the user agrees. */
export function AllowApp({ name, origin, tenant, onAgree, onRefuse }: AllowAppProps) {
  const [isBusy, setBusy] = useState(false);
  const [failed, setFailed] = useState<string>();
  const agree = async () => {
    setBusy(true);
    setFailed(undefined);
    try {
      await onAgree();
    } catch (error) {
      setFailed(failureText(error));
      setBusy(false);
    }
  };
  return (
    <Card>
      <div className="flex gap-4">
        <ShieldQuestion size={20} aria-hidden className="mt-0.5 shrink-0 text-conflict" />
        <div className="flex min-w-0 grow flex-col gap-4">
          <p>
            The app <strong className="font-semibold wrap-anywhere">{name}</strong> at{' '}
            <strong className="font-semibold wrap-anywhere">{origin}</strong> asks to sign you in.
          </p>
          <p className="wrap-anywhere">
            The app gets your name and your email address. It can do everything that you can in your databases
            of the tenant {tenant}, and gets no access to your other databases.
          </p>
          <p className="text-ink-3">
            Continue only if you came from this site and trust it. Fixpoint won’t ask again about this app at
            this address, unless you sign out of it in your account.
          </p>
          {failed !== undefined && <ErrorPanel message={failed} />}
          <div className="flex flex-wrap gap-2">
            <Button tone="primary" disabled={isBusy} onClick={() => void agree()}>
              Allow access
            </Button>
            <Button disabled={isBusy} onClick={onRefuse}>
              Cancel
            </Button>
          </div>
        </div>
      </div>
    </Card>
  );
}
