import type { SignIn } from '../../../access/sessions/sign-in.ts';
import { isSameUser } from '../../../core/caller.ts';
import type { Routes } from '../../../core/route-table.ts';
import { ownCommand } from '../../../lib/own-command.ts';
import { plainTypedCode } from '../../../lib/pairing/typed-code.ts';
import { readUnauthenticatedForm } from '../body.ts';
import { loginHandOver, loginPagePath, loginRefusal } from './login-page.ts';

export function loginPageRoute(signIn: Pick<SignIn, 'isOffered'>): Routes {
  return {
    [loginPagePath]: {
      async POST({ raw, connection }) {
        const form = await readUnauthenticatedForm(raw);
        const code = plainTypedCode(form.get('code') ?? '');
        // Any page can post here: only a code that was offered opens the sign-in.
        if (!signIn.isOffered(code)) return loginRefusal(401, usedUp);
        return (await isSameUser({ connection })) ? loginHandOver(code) : loginRefusal(403, otherUser);
      },
    },
  };
}

const otherUser = `This browser does not run as the user who runs this service, or Hostler cannot determine its user. Sign in with a token: "${ownCommand('token')}" prints it`;
const usedUp = `This code was used already, or is older than a minute. Run "${ownCommand('open')}" again`;
