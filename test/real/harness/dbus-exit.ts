import { createRequire } from 'node:module';
import { createEnvironment } from '../../../src/host/environment.ts';
import { createBuses } from '../../../src/host/linux/dbus/buses.ts';

// Started by dbus.test.ts as a separate process: it ends without being stopped, or the test fails.
const { cache } = createRequire(import.meta.url);
const isLoaded = () => Object.keys(cache).some((file) => file.endsWith('/dbus/src/bus.ts'));

const { session } = createBuses(createEnvironment(process.env));
console.log(`before: ${isLoaded()}`);
const bus = { destination: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus', interface: 'org.freedesktop.DBus' };
await session.call({ ...bus, member: 'GetId' });
await session.subscribe({ sender: 'test.missing', interface: 'test.Interface' }, () => {});
session.onReconnected(() => {});
console.log(`after: ${isLoaded()}`);
session.close();
console.log('closed');
