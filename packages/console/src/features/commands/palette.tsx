import { useQueries } from '@tanstack/react-query';
import { useMatches } from 'react-router';
import { useApp } from '../../cloud/app.ts';
import { ledgerQueries } from '../../cloud/queries/queries.ts';
import { useSession, useTenants } from '../../cloud/queries/use-cloud.ts';
import { useLocalDatabases } from '../../local/use-local-databases.ts';
import { Picker } from '../../ui/overlays/picker.tsx';
import { isMac, keyNames } from '../../ui/shortcut-table.ts';
import { Keys } from '../../ui/text/kbd.tsx';
import { useActiveUndo } from '../../undo/undo-stack.ts';
import { type Command, commandGroups, documentCommands, type Known, searchCommands } from './commands.ts';
import { placeOf } from './place.ts';

interface PaletteProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onPick: (command: Command) => void;
  readonly onClose: () => void;
}

/** Lists every page, database, tenant and ledger, and the available actions. */
export function Palette({ text, onText, onPick, onClose }: PaletteProps) {
  const place = placeOf(useMatches());
  const known = useKnown();
  const groups = [...searchCommands(commandGroups(place, known), text), ...documentCommands(place, text)];
  const mac = isMac();
  const aside = ({ keys = [] }: Command) =>
    keys.map((each) => <Keys key={each} strokes={keyNames(each, mac)} />);
  return (
    <Picker
      label="Search and commands"
      placeholder="Page, database or command"
      text={text}
      onText={onText}
      groups={groups}
      aside={aside}
      onPick={onPick}
      onClose={onClose}
      footer={
        <>
          <Hint keys={['ArrowUp', 'ArrowDown']} text="choose" mac={mac} />
          <Hint keys={['Enter']} text="select" mac={mac} />
          <Hint keys={['Escape']} text="close" mac={mac} />
        </>
      }
    />
  );
}

function Hint({ keys, text, mac }: { keys: readonly string[]; text: string; mac: boolean }) {
  return (
    <span className="inline-flex items-center gap-1">
      <Keys strokes={[keys.flatMap((each) => keyNames(each, mac).flat())]} /> {text}
    </span>
  );
}

/** Returns local targets at once, and the others when the cloud has answered. */
function useKnown(): Known {
  const { api } = useApp();
  const { data: somebody } = useSession();
  const { data: tenants = [] } = useTenants();
  const ledgers = useQueries({
    queries: tenants.map(({ tenantId }) => ledgerQueries.list(api, tenantId)),
    combine: (results) => results.flatMap(({ data = [] }) => data),
  });
  const databases = useLocalDatabases() ?? [];
  const { done, undone } = useActiveUndo();
  return {
    isSignedIn: somebody === undefined ? undefined : somebody !== null,
    databases,
    tenants,
    ledgers,
    undo: done.at(-1)?.label,
    redo: undone.at(-1)?.label,
  };
}
