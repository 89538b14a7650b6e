import { Check, CloudOff, Pencil } from 'lucide-react';
import { useState } from 'react';
import { Avatar } from '../../ui/avatar.tsx';
import type { DeviceState, PictureLanguage } from './picture-state.ts';

export interface DeviceWindowProps {
  readonly title: string;
  /** The person whose device it is. */
  readonly owner: string;
  /** The person who sends the changes that this device receives. */
  readonly sender: string;
  readonly device: DeviceState;
  /** Whether users can type. */
  readonly isLive: boolean;
  readonly onWrite: (id: string, speakers: number) => void;
  readonly onConnect: (isOnline: boolean) => void;
  readonly className: string;
}

/** Draws the window of one device: a table of languages, and whether the device is online. */
export function DeviceWindow(props: DeviceWindowProps) {
  const { title, owner, sender, device, isLive, onWrite, onConnect, className } = props;
  const { languages, isOnline, latest } = device;
  return (
    <section
      aria-label={title}
      className={`w-full overflow-hidden rounded-xl bg-surface shadow-3 forced-colors:border @min-[41rem]:absolute @min-[41rem]:w-86 ${className}`}
    >
      <div className="flex h-10 items-center gap-2 border-b border-line bg-sunken px-3">
        <Avatar name={owner} />
        <p className="font-semibold">{title}</p>
        <button
          type="button"
          role="switch"
          aria-checked={isOnline}
          aria-label={`Online: ${title}`}
          disabled={!isLive}
          className="group -mr-1.5 ml-auto flex h-7 cursor-pointer items-center gap-2 rounded px-1.5 text-xs text-ink-3 disabled:cursor-default max-sm:h-10"
          onClick={() => onConnect(!isOnline)}
        >
          Online
          <span
            aria-hidden
            className="flex h-4 w-7 rounded-full bg-control-line p-0.5 group-aria-checked:bg-accent forced-colors:border"
          >
            <span className="size-3 rounded-full bg-white transition-transform group-aria-checked:translate-x-3 forced-colors:bg-[CanvasText]" />
          </span>
        </button>
      </div>
      <table className="w-full table-fixed">
        <colgroup>
          <col className="w-15" />
          <col />
          <col className="w-32" />
        </colgroup>
        <thead className="sr-only">
          <tr>
            <th scope="col">Code</th>
            <th scope="col">Language</th>
            <th scope="col">Speakers</th>
          </tr>
        </thead>
        <tbody>
          {languages.map((language) => (
            <LanguageRow
              key={language._id}
              language={language}
              isLive={isLive}
              change={latest?.id === language._id ? latest : undefined}
              onWrite={(speakers) => onWrite(language._id, speakers)}
            />
          ))}
        </tbody>
      </table>
      <p className="flex h-8 items-center gap-1.5 px-3.5 text-xs text-ink-3">
        <Note device={device} sender={sender} />
      </p>
    </section>
  );
}

function Note({
  device: { isOnline, unsent, latest },
  sender,
}: Pick<DeviceWindowProps, 'device' | 'sender'>) {
  if (!isOnline)
    return (
      <>
        <CloudOff size={12} aria-hidden />
        {unsent === 0 ? 'Offline. You can still type.' : `Saved here. Sends ${changesText(unsent)} later.`}
      </>
    );
  if (latest?.isOwn === true)
    return (
      <>
        <Pencil size={12} aria-hidden /> Saved here, then sent
      </>
    );
  return (
    <span className="flex items-center gap-1.5 text-accent-ink">
      <Check size={12} aria-hidden /> {latest === undefined ? 'In sync' : `Received from ${sender} just now`}
    </span>
  );
}

const changesText = (count: number): string => `${count} ${count === 1 ? 'change' : 'changes'}`;

interface LanguageRowProps {
  readonly language: PictureLanguage;
  readonly isLive: boolean;
  /** The latest change, if it was to this language. */
  readonly change: DeviceState['latest'];
  readonly onWrite: (speakers: number) => void;
}

function LanguageRow({ language: { _id, name, speakers }, isLive, change, onWrite }: LanguageRowProps) {
  /** The text while the user types. */
  const [typed, setTyped] = useState<string>();
  const hasArrived = change?.isOwn === false;
  return (
    <tr
      className={`relative h-8 border-b border-line *:px-3.5 *:py-0 ${hasArrived ? 'bg-linear-to-l from-accent-soft font-medium' : ''}`}
    >
      <td className="font-mono text-xs text-ink-3">
        {hasArrived && (
          <span
            key={change.count}
            aria-hidden
            className="pointer-events-none absolute inset-0 animate-arrive opacity-60"
          />
        )}
        {_id}
      </td>
      <td className="relative truncate">{name}</td>
      <td className="relative text-right">
        <input
          aria-label={`Speakers of ${name}`}
          inputMode="numeric"
          autoComplete="off"
          readOnly={!isLive}
          value={typed ?? speakers.toLocaleString('en')}
          className={`-mr-1.5 h-6 w-26 rounded bg-transparent px-1.5 text-right tabular-nums hover:bg-hover max-sm:text-[1rem] ${change?.isOwn === true ? 'outline-2 outline-accent' : ''}`}
          maxLength={CHARS_MAX}
          onChange={({ target: { value } }) => {
            setTyped(value);
            onWrite(Number(value.replace(/\D/g, '')));
          }}
          onBlur={() => setTyped(undefined)}
        />
      </td>
    </tr>
  );
}

/** Ten digits and their commas. */
const CHARS_MAX = 13;
