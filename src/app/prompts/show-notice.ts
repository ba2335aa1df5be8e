import { loadFor, type PerPlatform } from '../../core/platform.ts';
import type { Host } from '../../host/host.ts';

type ShowOnScreen = (title: string, text: string) => Promise<void>;

const platforms: PerPlatform<ShowOnScreen> = {
  linux: async () => {
    const { showNoticeLinux } = await import('../../host/linux/desktop/show-notice.ts');
    return (host) => (title, text) => showNoticeLinux(host, title, text);
  },
  windows: async () => {
    const { showNoticeWindows } = await import('../../host/windows/show-notice.ts');
    return (host) => (title, text) => showNoticeWindows(host, title, text);
  },
};

/** Shows a notice of the service to the user at this machine. Rejects with a sentence. */
export function createShowOnScreen(host: Host): ShowOnScreen {
  return async (title, text) => {
    const make = await loadFor(host, platforms);
    if (make === null) throw new Error('notifications are not supported on this platform yet');
    await make()(title, text);
  };
}
