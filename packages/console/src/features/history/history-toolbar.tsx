/** Lets a view of the history put its filters beside the tabs. */
import { createContext, type ReactNode, use } from 'react';
import { createPortal } from 'react-dom';

/** The place beside the tabs: null before it is rendered, undefined without tabs. */
export const ToolbarContext = createContext<HTMLElement | null | undefined>(undefined);

/** Renders its content beside the tabs; without tabs, where it is. */
export function InToolbar({ children }: { children: ReactNode }) {
  const place = use(ToolbarContext);
  if (place === undefined) return children;
  return place === null ? null : createPortal(children, place);
}
