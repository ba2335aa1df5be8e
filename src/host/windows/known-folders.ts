import type { Shell32 } from './native/shell32.ts';

/** https://learn.microsoft.com/windows/win32/shell/knownfolderid, by the keys that settings have for them. */
const folders = {
  desktop: 'B4BFCC3A-DB2C-424C-B029-7FE99A87C641',
  documents: 'FDD39AD0-238F-46AF-ADB4-6C85480369C7',
  download: '374DE290-123F-4565-9164-39C4925E467B',
  music: '4BD8D571-6D19-48D3-BE97-422220080E43',
  pictures: '33E28130-4E1E-4676-835A-98395C3BC3BB',
  videos: '18989B1D-99B5-455B-841C-AB7C74E4DDFC',
};

/** Their current places: users move them to other disks, and OneDrive does so automatically. */
export function readKnownFolders({ knownFolder }: Pick<Shell32, 'knownFolder'>): Map<string, string> {
  return new Map(
    Object.entries(folders).flatMap(([key, id]): [string, string][] => {
      const place = knownFolder(id);
      return place === null ? [] : [[key, place]];
    }),
  );
}
