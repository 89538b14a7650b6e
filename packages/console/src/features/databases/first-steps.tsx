import { CodeBlock } from '../../ui/text/code-block.tsx';
import { CopyButton } from '../../ui/text/copy-button.tsx';

/** Shows how an app writes to an empty database of this browser. */
export function FirstSteps({ name }: { name: string }) {
  const text = codeFor(name);
  return (
    <div className="mt-5">
      <CodeBlock
        label="Or write to it from your app"
        text={text}
        actions={<CopyButton text={text} tone="quiet" size="sm" />}
      />
    </div>
  );
}

const codeFor = (name: string): string => `import { fixpoint } from 'fixpoint';

const db = fixpoint(${JSON.stringify(name)});
await db.put({ title: 'My first document' });
`;
