import type { CreateSource } from '../../core/module.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import type { FollowedClipboard } from './clipboard.schema.ts';
import { createClipboardSource } from './clipboard.source.ts';
import { followCopies } from './linux/clipboard.follow.ts';

export const followedClipboardLinux: CreateSource<FollowedClipboard, LinuxHost> = (host, { withheld = false }) =>
  createClipboardSource(withheld, (report) => followCopies(host, report));
