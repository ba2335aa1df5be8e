import { render } from 'preact';
import { App } from './shell/app.tsx';
import { showForeignText } from './shell/untrusted-text.ts';
import { beginSession } from './state/session.ts';

showForeignText();
// Before anything is drawn: a code must not stay in the address bar.
beginSession();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
