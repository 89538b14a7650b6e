/** The state of the picture on the sign-in page. It doesn't depend on the engine. */

export type DeviceName = 'ada' | 'grace';

export interface PictureLanguage {
  readonly _id: string;
  readonly name: string;
  readonly speakers: number;
}

export interface DeviceState {
  readonly languages: readonly PictureLanguage[];
  readonly isOnline: boolean;
  /** Number of changes that this device saved since it went offline. */
  readonly unsent: number;
  /** The latest change; undefined until there is one. `count` is different for each change. */
  readonly latest: { readonly id: string; readonly isOwn: boolean; readonly count: number } | undefined;
}

export interface PictureState {
  readonly devices: Readonly<Record<DeviceName, DeviceState>>;
  /** The end of what the server stored last; undefined until it stored something. */
  readonly stored: Uint8Array | undefined;
}

/** Approximate numbers of speakers, as in the sample database. */
export const PICTURE_LANGUAGES: readonly PictureLanguage[] = [
  { _id: 'orm', name: 'Oromo', speakers: 45_600_000 },
  { _id: 'ful', name: 'Fulah', speakers: 36_500_000 },
  { _id: 'uzb', name: 'Uzbek', speakers: 35_000_000 },
  { _id: 'kur', name: 'Kurdish', speakers: 26_000_000 },
  { _id: 'mlg', name: 'Malagasy', speakers: 25_000_000 },
];

const AT_FIRST: DeviceState = {
  languages: PICTURE_LANGUAGES,
  isOnline: true,
  unsent: 0,
  latest: undefined,
};

/** The picture before the databases are open. */
export const STILL: PictureState = { devices: { ada: AT_FIRST, grace: AT_FIRST }, stored: undefined };

export type ToPictureWorker =
  | { readonly name: DeviceName; readonly id: string; readonly speakers: number }
  | { readonly name: DeviceName; readonly isOnline: boolean };

export type FromPictureWorker = { readonly state: PictureState } | { readonly isOpen: true };
