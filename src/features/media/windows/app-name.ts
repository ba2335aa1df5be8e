/**
 * The name of a program from its AppUserModelID: `Spotify.exe` and `SpotifyAB.SpotifyMusic_zpdnekdrzrea0!Spotify` are both Spotify.
 * Some are numbers that only the start menu resolves; they are returned unchanged.
 */
export function appName(id: string): string {
  const [packageName = '', application = ''] = id.replace(/#\d+$/, '').split('!');
  const name = application !== '' && application !== 'App' ? application : (packageName.split('_')[0] ?? packageName);
  const last = name.split('\\').at(-1) ?? name;
  const plain = last.replace(/\.exe$/i, '');
  return (application === 'App' ? plain.split('.').at(-1) : plain) || id;
}
