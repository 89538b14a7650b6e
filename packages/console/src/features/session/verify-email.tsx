import { MailCheck } from 'lucide-react';
import { useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { useSession } from '../../cloud/queries/use-cloud.ts';
import { Button } from '../../ui/button.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';

export interface VerifyEmailProps {
  readonly title?: string;
  /** The action that becomes possible once the address is verified. */
  readonly then?: string;
}

/**
 * Shows users with an unverified address what is pending, such as an invitation, and what to do
 * next.
 */
export function VerifyEmail({
  title = 'Were you invited by email?',
  then = 'Then you can accept or reject the invitation here.',
}: VerifyEmailProps) {
  const { session } = useApp();
  const toast = useToast();
  const { data: somebody } = useSession();
  const [isSending, setSending] = useState(false);
  if (somebody === undefined || somebody === null || somebody.emailVerified) return null;
  const { email } = somebody;

  async function send() {
    setSending(true);
    const refused = await session.sendVerification(email);
    setSending(false);
    if (refused === undefined) toast(`We sent a link to ${email}.`);
    else toast(refused, { tone: 'error' });
  }

  return (
    <section
      aria-labelledby="invited"
      className="flex flex-wrap items-center justify-between gap-3 rounded-lg border border-line bg-surface px-4 py-3 text-sm"
    >
      <div className="flex min-w-0 gap-3">
        <MailCheck size={16} aria-hidden className="mt-0.5 shrink-0 text-ink-3" />
        <div className="min-w-0">
          <h2 id="invited" className="font-medium">
            {title}
          </h2>
          <p className="max-w-prose text-ink-3">
            Verify your address: open the link that we sent to{' '}
            <span className="wrap-anywhere text-ink">{email}</span>. {then}
          </p>
        </div>
      </div>
      <Button disabled={isSending} onClick={() => void send()}>
        Send the link again
      </Button>
    </section>
  );
}
