import { configure } from '@testing-library/react';

// Generous, because machines can be busy; the limit of the test itself still applies.
configure({ asyncUtilTimeout: 60_000 });
