// A bug that comes when it is called; loaded by the runtime before the service, in tests only. The service itself has no such thing.
const fs = require('node:fs');
const path = require('node:path');

/** What must not stand in a report, in the one place where nobody looks for it. */
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
  void Promise.reject(new Error('nobody waits for this'));
});
