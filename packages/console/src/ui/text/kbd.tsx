/**
 * Shows the keys of a button inside of it. Generated content, so that they aren't part of the
 * button's name. Devices without a keyboard don't show them.
 */
export function KeyHint({ strokes, className = '' }: { strokes: KeyStrokes; className?: string }) {
  return (
    <kbd
      aria-hidden
      data-keys={strokes.flat().join(' ')}
      className={`rounded px-1 font-sans text-2xs after:content-[attr(data-keys)] max-sm:hidden pointer-coarse:hidden ${className}`}
    />
  );
}

export type KeyStrokes = readonly (readonly string[])[];

/**
 * Shows keys with the labels of the keyboard. The user presses the strokes one after the other, and
 * the keys of a stroke together.
 */
export function Keys({ strokes }: { strokes: KeyStrokes }) {
  return (
    <span className="inline-flex shrink-0 items-center gap-1 text-ink-3">
      {strokes.map((keys, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: strokes may be equal, and have no state
        <span key={`${keys.join()} ${at}`} className="inline-flex items-center gap-1">
          {at > 0 && <span className="text-xs">then</span>}
          {keys.map((key) => (
            <kbd
              key={key}
              className="inline-grid h-4.5 min-w-4.5 place-items-center rounded border border-line bg-sunken px-1 font-sans text-2xs leading-none font-medium"
            >
              {key}
            </kbd>
          ))}
        </span>
      ))}
    </span>
  );
}
