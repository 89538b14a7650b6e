/**
 * Two databases in memory that sync through a cloud in this page, with the same code as databases
 * on two devices. Runs in a worker.
 */
import type { Attached } from 'fixpoint';
import { type FakeCloud, fakeCloud, memoryDatabase } from 'fixpoint/testing';
import {
  type DeviceName,
  type DeviceState,
  PICTURE_LANGUAGES,
  type PictureLanguage,
  type PictureState,
  STILL,
} from './picture-state.ts';

export interface TwoDatabases {
  /** Changes the speakers of a language on one device. */
  write(name: DeviceName, id: string, speakers: number): Promise<void>;
  /** Connects a device to the cloud, or disconnects it. */
  connect(name: DeviceName, isOnline: boolean): Promise<void>;
  close(): Promise<void>;
}

/** Number of bytes to show of the file that the server stored last. */
const STORED_BYTES = 24;

/** Opens both databases, and calls `onChange` whenever the picture changes. */
export async function openTwoDatabases(onChange: (state: PictureState) => void): Promise<TwoDatabases> {
  const cloud = fakeCloud();
  let state = STILL;
  let changes = 0;
  const show = (name: DeviceName, changed: Partial<DeviceState>) => {
    const stored = [...cloud.objects.values()].at(-1)?.slice(-STORED_BYTES);
    state = { devices: { ...state.devices, [name]: { ...state.devices[name], ...changed } }, stored };
    onChange(state);
  };
  const open = (name: DeviceName) =>
    openDevice(cloud, (changed, isOwn) => {
      const { languages, isOnline, unsent } = state.devices[name];
      changes += 1;
      show(name, {
        languages: languages.map((one) => (one._id === changed._id ? changed : one)),
        unsent: isOwn && !isOnline ? unsent + 1 : unsent,
        latest: { id: changed._id, isOwn, count: changes },
      });
    });
  const devices = { ada: open('ada'), grace: open('grace') };
  await devices.ada.fill();
  for (const { attach, synced } of Object.values(devices)) {
    await attach();
    await synced();
  }
  for (const { listen } of Object.values(devices)) listen();
  show('ada', {});
  return {
    write: (name, id, speakers) => devices[name].write(id, speakers),
    connect: async (name, isOnline) => {
      show(name, { isOnline, unsent: 0 });
      await (isOnline ? devices[name].attach() : devices[name].detach());
    },
    close: async () => {
      for (const { close } of Object.values(devices)) await close();
    },
  };
}

type OnWritten = (language: PictureLanguage, isOwn: boolean) => void;

function openDevice(cloud: FakeCloud, onWritten: OnWritten) {
  const database = memoryDatabase<PictureLanguage>({ encrypted: true });
  /** Changes of this device that its own listener hasn't heard yet. */
  const own = new Set<string>();
  let attached: Attached | undefined;
  let turn: Promise<void> = Promise.resolve();
  /** Connects and disconnects one after another, however fast the user switches. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    turn = turn.then(work, work);
    return turn;
  };
  return {
    fill: () => database.bulk(PICTURE_LANGUAGES),
    listen: () =>
      database.subscribe((docs) => {
        for (const one of docs) if ('speakers' in one && !own.delete(keyOf(one))) onWritten(one, false);
      }, true),
    write: async (id: string, speakers: number): Promise<void> => {
      const before = await database.get(id);
      const language = { ...before, speakers };
      own.add(keyOf(language));
      await database.put(language);
      onWritten(language, true);
    },
    synced: async () => attached?.synced(),
    attach: () =>
      inTurn(async () => {
        attached ??= await database.attach(cloud.remote());
      }),
    detach: () =>
      inTurn(async () => {
        await attached?.detach();
        attached = undefined;
      }),
    close: () => inTurn(() => database.destroy()),
  };
}

const keyOf = ({ _id, speakers }: PictureLanguage): string => `${_id} ${speakers}`;
