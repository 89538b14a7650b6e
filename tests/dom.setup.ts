import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

// This timeout is long, because machines can be busy. The test's own timeout still applies.
configure({ asyncUtilTimeout: 60_000 });

// The files share one document and one copy of each module. The library removes rendered components
// only in the first file that loads it.
afterEach(cleanup);
