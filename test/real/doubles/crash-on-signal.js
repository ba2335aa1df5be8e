// Crashes on a signal; loaded by the runtime before the service, in tests only. The service itself has no such code.
const fs = require('node:fs');
const path = require('node:path');

/** A secret that must not appear in a report, in an unexpected place. */
const secret = () => {
  try {
    return fs.readFileSync(path.join(process.env.SERVICE_STATE_DIR ?? '/nonexistent', 'token'), 'utf8').trim();
  } catch {
    return '';
  }
};

process.on('SIGUSR2', () => {
  setTimeout(() => {
    throw new TypeError(`boom in ${process.env.HOME}/x with ${secret()}`);
  });
});
process.on('SIGWINCH', () => {
  void Promise.reject(new Error('unhandled on purpose'));
});
