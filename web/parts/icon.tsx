/** Drawn here: not every machine has a font with these signs. 24 by 24, filled. */
const shapes = {
  folder: 'M3 6a2 2 0 0 1 2-2h4l2 2h8a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z',
  note: 'M9 3l11-2v15a3 3 0 1 1-2-2.800V6.500l-7 1.300V19a3 3 0 1 1-2-2.800z',
  play: 'M7 4v16l13-8z',
  pause: 'M6 4h4v16H6zM14 4h4v16h-4z',
  playPause: 'M3 5v14l9-7zM14 5h3v14h-3zM19 5h3v14h-3z',
  stop: 'M5 5h14v14H5z',
  previous: 'M5 5h3v14H5zM20 5v14L9 12z',
  next: 'M16 5h3v14h-3zM4 5v14l11-7z',
  rewind: 'M12 5v14l-9-7zM21 5v14l-9-7z',
  forward: 'M3 5v14l9-7zM12 5v14l9-7z',
  shuffle:
    'M16 3l5 4-5 4V8h-2l-8 9H3v-2h2l8-9h3zM3 7h3l2.5 2.8-1.4 1.5L5 9H3zM16 13l5 4-5 4v-3h-3l-2.5-2.8 1.4-1.5L14 16h2z',
  repeat: 'M17 2l5 4-5 4V7H7v4H5V5h12zM7 22l-5-4 5-4v3h10v-4h2v6H7z',
  repeatOne: 'M17 2l5 4-5 4V7H7v4H5V5h12zM7 22l-5-4 5-4v3h10v-4h2v6H7zM11 9h2v6h-2z',
  mute: 'M3 9h4l5-5v16l-5-5H3zM15 9l2-2 2 2 2-2 1.5 1.5-2 2 2 2L21 14l-2-2-2 2-1.5-1.5 2-2z',
  quieter: 'M3 9h4l5-5v16l-5-5H3zM15 11h7v2h-7z',
  louder: 'M3 9h4l5-5v16l-5-5H3zM15 11h2.5V8.500h2V11H22v2h-2.500v2.500h-2V13H15z',
};

export type IconName = keyof typeof shapes;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={shapes[name]} />
    </svg>
  );
}
