import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Notes } from './notes.tsx';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no root');
createRoot(root).render(
  <StrictMode>
    <Notes />
  </StrictMode>,
);
