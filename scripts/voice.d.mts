export interface VoiceFault {
  readonly path: string;
  readonly line: number;
  readonly sentence: string;
  readonly advice: string;
}
export function voiceFaults(prefixes?: readonly string[]): readonly VoiceFault[];
export function faultsOfText(path: string, content: string): readonly VoiceFault[];
export function lineOfFault(fault: VoiceFault): string;
