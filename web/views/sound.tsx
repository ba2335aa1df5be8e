import { AudioCards } from './audio.tsx';

/** The mixer: outputs, inputs, and what programs play and record. */
export function Sound() {
  return (
    <div class="cards">
      <AudioCards />
    </div>
  );
}
