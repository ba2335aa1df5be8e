import { render } from 'preact';
import { App } from './app.tsx';
import { takeLoginCode } from './state/session.ts';

// Before anything is drawn: the code must not stay in the address bar.
takeLoginCode();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
