import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/forms/form.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { SHORTCUT_GROUPS } from '../../ui/shortcut-groups.ts';
import { isMac, keyNames } from '../../ui/shortcut-table.ts';
import { Keys } from '../../ui/text/kbd.tsx';
import { areSingleKeysOn, setSingleKeys } from './single-keys.ts';

/** Lists all keys, with a switch for single keys, which are easily pressed by accident. */
export function ShortcutsSheet({ onClose }: { onClose: () => void }) {
  const [isOn, setOn] = useState(areSingleKeysOn);
  const mac = isMac();
  const change = (on: boolean) => {
    setSingleKeys(on);
    setOn(on);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Keyboard shortcuts"
      actions={
        <Button tone="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-5">
        <Checkbox
          label="Use single keys such as ? and N as shortcuts. They never act as shortcuts while you type text."
          checked={isOn}
          onChange={({ target }) => change(target.checked)}
        />
        {SHORTCUT_GROUPS.map(({ title, shortcuts }) => (
          <section key={title} aria-label={title}>
            <h3 className="mb-1 text-xs font-medium text-ink-3">{title}</h3>
            <dl className="divide-y divide-line text-sm">
              {shortcuts.map(({ keys, text }) => (
                <div key={text} className="flex min-h-8 items-center justify-between gap-4 py-1">
                  <dt>{text}</dt>
                  <dd className="flex shrink-0 flex-wrap justify-end gap-1">
                    {keys.map((each) => (
                      <Keys key={each} strokes={keyNames(each, mac)} />
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
