import { Skeleton } from '../../ui/pages/feedback.tsx';
import { lazyComponent } from '../../ui/pages/lazy-component.tsx';

const load = async () => (await import('./code-editor.tsx')).CodeEditor;

/** Renders the editor, loaded lazily because its script is much larger than any page's. */
export const CodeEditor = lazyComponent(load, () => <Skeleton shape="editor" />);

// Pages that import this show the editor, so load it while they read their data. A failure is
// reported when the editor is rendered.
load().catch(() => undefined);
