import type { ReactNode } from 'react';

export interface Segment<N extends string> {
  readonly name: N;
  readonly label: string;
  readonly icon?: ReactNode;
}

export interface SegmentsProps<N extends string> {
  /** Says what is chosen here. */
  readonly label: string;
  readonly segments: readonly Segment<N>[];
  readonly chosen: N;
  readonly onChoose: (name: N) => void;
  /** Whether the buttons share the whole width. */
  readonly isWide?: boolean;
}

/** Renders buttons of which one is pressed, to choose what the content below shows. */
export function Segments<N extends string>(props: SegmentsProps<N>) {
  const { label, segments, chosen, onChoose, isWide = false } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be laid out as one line
    <div role="group" aria-label={label} className="flex max-w-full flex-wrap rounded-md bg-pressed p-0.5">
      {segments.map(({ name, label: text, icon }) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === chosen}
          className={`flex h-6 cursor-pointer pointer-coarse:min-h-8 items-center gap-1.5 rounded px-2 text-xs font-medium text-ink-2 aria-pressed:bg-surface aria-pressed:text-ink aria-pressed:shadow-1 max-sm:h-9 tiny:[&>svg]:hidden ${isWide ? 'grow justify-center' : ''}`}
          onClick={() => onChoose(name)}
        >
          {icon} {text}
        </button>
      ))}
    </div>
  );
}
