import { showNoticeLinux } from '../../host/linux/desktop/show-notice.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { takeScreenPicture, whyNoScreenPicture } from './linux/screen-picture.ts';
import type { ScreenCamera } from './screen.contract.ts';

export const screenLinux = (host: LinuxHost): ScreenCamera => ({
  unavailable: () => whyNoScreenPicture(host),
  take: (wanted, signal) => takeScreenPicture(host, wanted, signal),
  notify: (title, text) => showNoticeLinux(host, title, text, { icon: 'camera-photo', mustBeSeen: true }),
});
