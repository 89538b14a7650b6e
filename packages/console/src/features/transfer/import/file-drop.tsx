import { Upload } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';

const holdsFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true;

/** Takes files that are dropped anywhere on the page, and says so while they are over it. */
export function FileDrop({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onFiles);
  latest.current = onFiles;
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      // Otherwise the browser would open the file instead of the page.
      event.preventDefault();
      setOver(true);
    };
    const leave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!holdsFiles(event)) return;
      event.preventDefault();
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length > 0) latest.current(files);
    };
    const ending = new AbortController();
    const { signal } = ending;
    window.addEventListener('dragenter', over, { signal });
    window.addEventListener('dragover', over, { signal });
    window.addEventListener('dragleave', leave, { signal });
    window.addEventListener('drop', drop, { signal });
    return () => ending.abort();
  }, []);
  if (!isOver) return null;
  return (
    <div className="pointer-events-none fixed inset-2 top-(--top) z-50 grid animate-appear place-content-center rounded-lg border-2 border-dashed border-accent bg-accent-soft/90 text-center font-medium text-accent-ink md:left-(--side)">
      <Upload size={24} aria-hidden className="mx-auto mb-2" />
      Drop to preview
      <span className="text-sm font-normal">JSON, NDJSON, CSV. Nothing is written yet.</span>
    </div>
  );
}
