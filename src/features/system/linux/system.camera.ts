import type { Reasons } from '../../../core/reasons.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { isCameraIdle } from './cameras.ts';
import { whoHasOpen } from './open-files.ts';

/** Names of the processes that have one of these cameras open. */
export function readCameraUsage(files: LinuxHost['files'], cameras: readonly string[], reasons: Reasons): string[] {
  if (cameras.length === 0) {
    reasons.inherent('camera_usage', 'This machine has no camera');
    return [];
  }
  const inDoubt = cameras.filter((camera) => isCameraIdle(files, camera) !== true);
  if (inDoubt.length === 0) return [];
  const { names, hidden } = whoHasOpen(files, new Set(inDoubt));
  if (names.length === 0 && hidden) {
    reasons.missing(
      'camera_usage',
      'A process of another user may be using the camera; the service can see that only as root or with CAP_SYS_PTRACE',
    );
  }
  return names;
}
