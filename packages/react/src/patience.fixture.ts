import { configure } from '@testing-library/react';

// A busy machine takes its time; a test that fails waits no longer than its own limit.
configure({ asyncUtilTimeout: 60_000 });
