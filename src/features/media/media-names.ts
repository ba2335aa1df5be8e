const videos = new Set(['mp4', 'mkv', 'webm', 'avi', 'mov', 'wmv', 'm4v', 'mpg', 'mpeg', 'ts', 'ogv', 'flv']);
const sounds = new Set(['mp3', 'flac', 'ogg', 'oga', 'opus', 'wav', 'm4a', 'aac', 'wma', 'aif', 'aiff', 'ape']);

/** By the extension; null: neither. */
export function kindOfFile(name: string): 'music' | 'video' | null {
  const extension = /\.(\w{2,4})$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return sounds.has(extension) ? 'music' : videos.has(extension) ? 'video' : null;
}
