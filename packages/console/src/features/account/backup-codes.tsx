import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { CodeBlock } from '../../ui/text/code-block.tsx';
import { CopyButton } from '../../ui/text/copy-button.tsx';

/** Shows the backup codes, which replace a lost authenticator app. They are shown only once. */
export function BackupCodesDialog({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const text = codes.join('\n');
  return (
    <Dialog
      open
      // A click outside would lose the codes.
      onClose={() => undefined}
      title="Write these codes down"
      description="Each code signs you in once if you lose the app. The codes aren’t shown again."
      actions={
        <Button tone="primary" onClick={onDone}>
          Done
        </Button>
      }
    >
      <CodeBlock label="Backup codes" text={text} actions={<CopyButton text={text} tone="quiet" />} />
    </Dialog>
  );
}
