import { createContext, useContext } from 'react';

/** Whether the user may write to the database of the page. What nobody else would ever get is not offered. */
export const CanWriteContext = createContext(true);

export const useCanWrite = (): boolean => useContext(CanWriteContext);
