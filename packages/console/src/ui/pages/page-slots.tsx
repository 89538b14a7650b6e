/** Lets a page put parts of itself into the frame around it. */
import { createContext, type ReactNode, use } from 'react';
import { createPortal } from 'react-dom';

export interface PageSlots {
  /** Place of the title line; null before the first render of the frame. */
  readonly title: HTMLElement | null;
  /** Place of the path to the page, in the header. */
  readonly crumbs: HTMLElement | null;
  /** Place of a status in the title line, next to the title. */
  readonly beside: HTMLElement | null;
  /** Place of actions in the title line. */
  readonly actions: HTMLElement | null;
  /** Called by the title line, which contains these places. */
  readonly setBeside: (place: HTMLElement | null) => void;
  readonly setActions: (place: HTMLElement | null) => void;
}

/** Undefined outside of the frame: all parts are then shown where they are. */
export const PageSlotsContext = createContext<PageSlots | undefined>(undefined);

export interface InSlotProps {
  readonly name: 'title' | 'crumbs' | 'beside' | 'actions';
  readonly children: ReactNode;
}

/** Renders its content in a place of the frame. */
export function InSlot({ name, children }: InSlotProps) {
  const slots = use(PageSlotsContext);
  if (slots === undefined) return children;
  const place = slots[name];
  return place === null ? null : createPortal(children, place);
}
