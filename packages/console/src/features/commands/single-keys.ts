/** Whether keys without a modifier are shortcuts: who speaks to the computer, or strikes keys by accident, turns them off (WCAG 2.1.4). */
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
    // A browser that stores nothing keeps them on.
  }
}
