/**
 * Stores whether keys without a modifier are shortcuts. Users of speech input, or who press keys by
 * accident, can disable them (WCAG 2.1.4).
 */
const STORED_AS = 'singleKeyShortcuts';

export function areSingleKeysOn(): boolean {
  try {
    return localStorage.getItem(STORED_AS) !== 'off';
  } catch {
    return true;
  }
}

export function setSingleKeys(on: boolean): void {
  try {
    localStorage.setItem(STORED_AS, on ? 'on' : 'off');
  } catch {
    // Without storage they stay enabled.
  }
}
