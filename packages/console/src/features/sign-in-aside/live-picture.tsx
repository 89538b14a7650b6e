import { Lock } from 'lucide-react';
import { useRef } from 'react';
import { DeviceWindow } from './device-window.tsx';
import type { DeviceName } from './picture-state.ts';
import { type OpenPicture, useTwoDatabases } from './use-two-databases.ts';

/** Shows two devices whose databases sync. Users can type in both, and switch each offline. */
export function LivePicture({ open }: { open?: OpenPicture }) {
  const place = useRef<HTMLElement>(null);
  const { state, isLive, write, connect } = useTwoDatabases(place, open);
  const { ada, grace } = state.devices;
  const partsOf = (name: DeviceName) => ({
    device: state.devices[name],
    isLive,
    onWrite: (id: string, speakers: number) => write(name, id, speakers),
    onConnect: (isOnline: boolean) => connect(name, isOnline),
  });
  return (
    <section
      ref={place}
      aria-label="Two databases that sync"
      className="relative grid gap-3 @min-[41rem]:block @min-[41rem]:h-122"
    >
      <svg
        viewBox="0 0 656 488"
        aria-hidden="true"
        className="absolute inset-0 size-full fill-none stroke-2 @max-[41rem]:hidden"
      >
        <Wire path="M346 88H362C380 88 378 124 396 124" isOn={ada.isOnline} change={ada.latest?.count} />
        <Wire path="M504 166V256" isOn={grace.isOnline} change={grace.latest?.count} />
      </svg>
      <DeviceWindow
        {...partsOf('ada')}
        title="Ada’s laptop"
        owner="Ada Lovelace"
        sender="Grace"
        className="@min-[41rem]:top-0 @min-[41rem]:left-0"
      />
      <div className="rounded-[0.625rem] border border-line bg-surface px-3 pt-2.5 pb-2.75 shadow-1 @min-[41rem]:absolute @min-[41rem]:top-21 @min-[41rem]:left-99 @min-[41rem]:w-65">
        <p className="flex items-center gap-1.5 font-medium">
          <Lock size={12} aria-hidden className="shrink-0 text-accent-ink" /> On the server, encrypted
        </p>
        <code className="mt-1 line-clamp-2 h-8.5 font-mono text-xs leading-[1.0625rem] text-ink-3">
          {state.stored === undefined ? '…' : hexOf(state.stored)}
        </code>
      </div>
      <DeviceWindow
        {...partsOf('grace')}
        title="Grace’s phone"
        owner="Grace Hopper"
        sender="Ada"
        className="@min-[41rem]:right-0 @min-[41rem]:bottom-0"
      />
      <p className="text-ink-2 @min-[41rem]:absolute @min-[41rem]:bottom-14 @min-[41rem]:left-0.5 @min-[41rem]:w-65">
        <strong className="block font-semibold text-ink">Both databases run in this page.</strong>
        Type in one. Switch it offline, keep typing, and switch it back.
      </p>
    </section>
  );
}

interface WireProps {
  readonly path: string;
  readonly isOn: boolean;
  /** The dashes flow for a moment whenever this changes. */
  readonly change: number | undefined;
}

function Wire({ path, isOn, change }: WireProps) {
  return (
    <path
      key={change}
      d={path}
      strokeDasharray="3 7"
      strokeLinecap="round"
      className={isOn ? `stroke-accent ${change === undefined ? '' : 'animate-flow'}` : 'stroke-line-strong'}
    />
  );
}

const hexOf = (bytes: Uint8Array): string =>
  [...bytes]
    .map((byte, at) => `${byte.toString(16).padStart(2, '0')}${at % 4 === 3 ? ' ' : ''}`)
    .join('')
    .trim();
