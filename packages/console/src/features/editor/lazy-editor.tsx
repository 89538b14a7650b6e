import { Skeleton } from '../../ui/feedback.tsx';
import { later } from '../../ui/later.tsx';

const load = async () => (await import('./code-editor.tsx')).CodeEditor;

/** The editor, whose script is much larger than that of any page. */
export const CodeEditor = later(load, () => <Skeleton shape="editor" />);

// A page that imports this shows it: the script is on its way while the page reads what is to be shown. A failure is told when the editor is drawn.
load().catch(() => undefined);
