import { NavLink } from 'react-router';

export function Tabs({ label, tabs }: { label: string; tabs: readonly { to: string; text: string }[] }) {
  return (
    <nav aria-label={label} className="mb-5 flex gap-1 overflow-x-auto border-b border-line">
      {tabs.map(({ to, text }) => (
        <NavLink
          key={to}
          to={to}
          className={({ isActive }) =>
            `-mb-px border-b-2 px-3 py-2 text-sm whitespace-nowrap ${isActive ? 'border-accent font-semibold' : 'border-transparent text-muted hover:text-text'}`
          }
        >
          {text}
        </NavLink>
      ))}
    </nav>
  );
}
