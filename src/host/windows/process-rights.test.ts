import { expect, test } from 'bun:test';
import { rightsOf } from './process-rights.ts';

const [only, full, limited] = [1, 2, 3];

test.each([
  ['of a sandbox', only, 'S-1-16-0', 'low'],
  ['of a browser', limited, 'S-1-16-4096', 'low'],
  ['of a user', only, 'S-1-16-8192', 'usual'],
  ['of an administrator, as its other programs', limited, 'S-1-16-8192', 'usual'],
  ['that may send input to other levels (uiAccess)', limited, 'S-1-16-8448', 'usual'],
  ['of an administrator’s console', full, 'S-1-16-12288', 'administrator'],
  ['of an administrator, whose level was lowered', full, 'S-1-16-8192', 'usual'],
  ['of an administrator without UAC', only, 'S-1-16-12288', 'usual'],
  ['of a service', only, 'S-1-16-16384', 'system'],
  ['of a protected process', only, 'S-1-16-20480', 'system'],
  ['without a level, elevated', full, null, 'administrator'],
  ['without a level', limited, null, 'usual'],
  ['with a level of another kind', limited, 'S-1-5-18', 'usual'],
] as const)('a token %s', (_what, elevationType, integrity, expected) => {
  expect(rightsOf({ elevationType, integrity })).toBe(expected);
});
