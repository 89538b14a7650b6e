import { type ReactNode, useState } from 'react';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { RecoveryCode } from './recovery-code.tsx';

export interface CodeTask {
  readonly failure: string | undefined;
  readonly isBusy: boolean;
  /** Runs a step of the dialog, and keeps why it failed. */
  run(work: () => Promise<void>): Promise<void>;
  forget(): void;
}

/** Keeps the state of a dialog about a recovery code. */
export function useCodeTask(textOf: (error: unknown) => string): CodeTask {
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  return {
    failure,
    isBusy,
    run: async (work) => {
      setBusy(true);
      setFailure(undefined);
      try {
        await work();
      } catch (error) {
        setFailure(textOf(error));
      } finally {
        setBusy(false);
      }
    },
    forget: () => setFailure(undefined),
  };
}

export interface CodeDialogProps {
  readonly task: CodeTask;
  readonly title: string;
  readonly description: string;
  readonly actions: ReactNode;
  /** The new code; undefined while the dialog asks for something else. */
  readonly code: string | undefined;
  /** Whether a code was created. A click outside would lose it. */
  readonly hasCode: boolean;
  readonly onClose: () => void;
  /** The first step, which the code replaces. */
  readonly children: ReactNode;
}

/** Renders a dialog that asks for something, and then shows a recovery code once. */
export function CodeDialog(props: CodeDialogProps) {
  const { task, title, description, actions, code, hasCode, onClose, children } = props;
  return (
    <Dialog
      open
      onClose={() => !hasCode && onClose()}
      isBusy={task.isBusy}
      {...{ title, description, actions }}
    >
      {code === undefined ? children : <RecoveryCode code={code} />}
      {task.failure !== undefined && (
        <p role="alert" className="mt-3 text-sm text-conflict">
          {task.failure}
        </p>
      )}
    </Dialog>
  );
}
