import { Menu as Base } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import { Children, type ReactElement, type ReactNode } from 'react';
import { Link } from 'react-router';

const ITEM =
  'flex h-7.5 cursor-pointer items-center gap-2.5 rounded px-2 max-sm:h-10 tiny:h-auto tiny:min-h-10 tiny:py-1 text-sm -outline-offset-2 select-none data-highlighted:bg-hover data-disabled:cursor-not-allowed data-disabled:opacity-50 [&>svg]:text-ink-3';

/** Renders actions that drop down from a button. */
export function Menu({ trigger, children }: { trigger: ReactElement; children: ReactNode }) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Dropped>{children}</Dropped>
    </Base.Root>
  );
}

/** Scrolls in a window that is lower than its items, and is never wider than the window. */
const Dropped = ({ children }: { children: ReactNode }) => (
  <Base.Portal>
    <Base.Positioner sideOffset={6} align="end" className="z-50 outline-none">
      <Base.Popup className="max-h-(--available-height) max-w-[min(var(--available-width),calc(100vw-1rem))] min-w-[min(13rem,calc(100vw-1rem))] overflow-y-auto overscroll-contain rounded-lg border border-line bg-surface p-1 text-ink shadow-3 transition-opacity outline-none data-ending-style:opacity-0 data-starting-style:opacity-0">
        {children}
      </Base.Popup>
    </Base.Positioner>
  </Base.Portal>
);

/**
 * Connects one menu with many buttons. Each button passes what the menu's items apply to (`about`).
 * In a long list, one menu per button would cost more than everything else.
 */
export interface SharedMenu {
  readonly handle: ReturnType<typeof Base.createHandle<string>>;
}

export const createSharedMenu = (): SharedMenu => ({ handle: Base.createHandle<string>() });

export const SharedMenuTrigger = ({
  menu,
  about,
  trigger,
}: {
  menu: SharedMenu;
  about: string;
  trigger: ReactElement;
}) => <Base.Trigger handle={menu.handle} payload={about} render={trigger} />;

export const SharedMenuItems = ({
  menu,
  items,
}: {
  menu: SharedMenu;
  items: (about: string) => ReactNode;
}) => (
  <Base.Root handle={menu.handle}>
    {({ payload }) => <Dropped>{payload !== undefined && items(payload)}</Dropped>}
  </Base.Root>
);

export function MenuItem({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <Base.Item onClick={onClick} className={ITEM}>
      {afterIcon(children)}
    </Base.Item>
  );
}

/**
 * Removes the space between an icon and the text. Otherwise no item would begin with the letter
 * that a user types to find it.
 */
const afterIcon = (children: ReactNode): ReactNode =>
  Children.map(children, (one) => (typeof one === 'string' ? one.trimStart() : one));

/** Renders an option. The menu stays open, since the option may change what the other items do. */
export function MenuCheckbox(props: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  title: string;
  /** Whether the menu closes, since the option applies to what is behind it. */
  closes?: boolean;
  children: ReactNode;
}) {
  const { checked, onChange, title, closes = false, children } = props;
  return (
    <Base.CheckboxItem
      checked={checked}
      onCheckedChange={onChange}
      closeOnClick={closes}
      title={title}
      className={ITEM}
    >
      <span className="grid size-4 place-items-center rounded border border-control-line">
        <Base.CheckboxItemIndicator>
          <Check size={12} aria-hidden />
        </Base.CheckboxItemIndicator>
      </span>
      {children}
    </Base.CheckboxItem>
  );
}

export function MenuLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Base.Item render={<Link to={to} />} className={ITEM}>
      {children}
    </Base.Item>
  );
}

/** Renders a line that says what the items below apply to. */
export function MenuNote({ children }: { children: ReactNode }) {
  return <div className="px-2 py-1.5 text-xs text-ink-3">{children}</div>;
}

export const MenuSeparator = () => <Base.Separator className="my-1 border-t border-line" />;
