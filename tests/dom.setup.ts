import { cleanup } from '@testing-library/react';
import { afterEach } from 'vitest';

// The files share one document and one copy of each module. The library removes rendered components
// only in the first file that loads it.
afterEach(cleanup);
