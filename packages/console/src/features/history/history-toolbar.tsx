/** Parts that the lists of the history share. */
import { History, Plus } from 'lucide-react';
import { createContext, type ReactNode, use } from 'react';
import { createPortal } from 'react-dom';
import { useCanWrite } from '../../local/can-write.ts';
import { LinkButton } from '../../ui/button.tsx';
import { EmptyState, ErrorPanel, Skeleton } from '../../ui/pages/feedback.tsx';
import { failureText } from '../../ui/text/failure-text.ts';

/** The place beside the tabs: null before it is rendered, undefined without tabs. */
export const ToolbarContext = createContext<HTMLElement | null | undefined>(undefined);

/** Renders its content beside the tabs; without tabs, where it is. */
export function InToolbar({ children }: { children: ReactNode }) {
  const place = use(ToolbarContext);
  if (place === undefined) return children;
  return place === null ? null : createPortal(children, place);
}

/** Says at the right end of the toolbar what the list shows. */
export const ToolbarStatus = ({ children }: { children: ReactNode }) => (
  <p role="status" className="ml-auto text-sm text-ink-3">
    {children}
  </p>
);

/** Shows why a list can't be read now. */
export const ListProblem = ({ error }: { error: unknown }) => (
  <div className="mx-4 my-3">
    <ErrorPanel message={failureText(error)} />
  </div>
);

/** Shows that a list has nothing, or nothing that matches. */
export const EmptyList = ({ text }: { text: string }) => (
  <div className="p-4">
    <EmptyState text={text} />
  </div>
);

/** Shows how a history begins. */
export function NoChanges({ docsPath }: { docsPath: string }) {
  const canWrite = useCanWrite();
  return (
    <div className="p-4">
      <EmptyState icon={<History size={24} />} text="This database has no changes yet.">
        {canWrite && (
          <LinkButton tone="primary" to={`${docsPath}/new`}>
            <Plus size={16} aria-hidden /> New Document
          </LinkButton>
        )}
      </EmptyState>
    </div>
  );
}

/** Shows that a list loads, or why it can't. */
export const WaitingList = ({ error }: { error: unknown }) =>
  error === undefined ? (
    <div className="px-4">
      <Skeleton shape="rows" />
    </div>
  ) : (
    <ListProblem error={error} />
  );
