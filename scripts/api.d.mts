export interface PublicMember {
  readonly name: string;
  readonly text: string;
  readonly doc: string;
  readonly isMethod: boolean;
}
export interface PublicName {
  readonly name: string;
  readonly known: boolean;
  readonly text: string;
  readonly doc: string;
  readonly members: readonly PublicMember[];
}
export interface PublicEntry {
  readonly entry: string;
  readonly says: string;
  readonly names: readonly PublicName[];
}
export function publicInterface(): readonly PublicEntry[];
export function apiReference(entries: readonly PublicEntry[]): string;
