import { useState } from 'react';
import { COMFORTABLE_ROW_PX } from '../../grid/grid-column.ts';

const STORED_AS = 'fixpoint:rows';
const COMFORTABLE = 'comfortable';

export interface RowMode {
  readonly isComfortable: boolean;
  readonly setComfortable: (isOn: boolean) => void;
  /** Height of a row; undefined for the dense mode. */
  readonly rowPx: number | undefined;
}

/** Returns how high the rows are. The choice applies to all tables of documents in this browser. */
export function useRowMode(): RowMode {
  const [isComfortable, set] = useState(readsComfortable);
  const setComfortable = (isOn: boolean) => {
    set(isOn);
    try {
      if (isOn) localStorage.setItem(STORED_AS, COMFORTABLE);
      else localStorage.removeItem(STORED_AS);
    } catch {
      // Without storage, the choice lasts until the page is left.
    }
  };
  return { isComfortable, setComfortable, rowPx: isComfortable ? COMFORTABLE_ROW_PX : undefined };
}

function readsComfortable(): boolean {
  try {
    return localStorage.getItem(STORED_AS) === COMFORTABLE;
  } catch {
    return false;
  }
}
