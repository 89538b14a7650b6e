import { configure } from '@testing-library/react';

// This timeout is generous, because machines can be busy. The time limit of the test still applies.
configure({ asyncUtilTimeout: 60_000 });
