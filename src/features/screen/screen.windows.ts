import { showNoticeWindows } from '../../host/windows/show-notice.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import type { ScreenCamera } from './screen.contract.ts';
import { takeScreenPictureWindows, whyNoScreenPictureWindows } from './windows/screen-picture.ts';

export const screenWindows = (host: WindowsHost): ScreenCamera => ({
  unavailable: () => whyNoScreenPictureWindows(host),
  take: (wanted) => takeScreenPictureWindows(host, wanted),
  notify: (title, text) => showNoticeWindows(host, title, text, { mustBeSeen: true }),
});
