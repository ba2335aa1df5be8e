import { render } from 'preact';
import { App } from './shell/app.tsx';
import { ignoreStrayClicks } from './shell/stray-clicks.ts';
import { showForeignText } from './shell/untrusted-text.ts';
import { beginSession } from './state/session.ts';

ignoreStrayClicks();
showForeignText();
// Before anything is drawn: a code must not stay in the address bar.
beginSession();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
