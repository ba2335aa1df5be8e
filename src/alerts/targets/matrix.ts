import { objectIn } from '../../lib/values.ts';
import { originOf } from './address.ts';
import { defineTarget, refusedAnswer, type TargetAnswer } from './target.ts';

/** https://spec.matrix.org/latest/client-server-api/: joins the room and sends; with a password also signs in and out. */
export const matrixTarget = defineTarget({
  form: 'matrixs://TOKEN@HOST[:PORT]/ROOM or matrixs://USER:PASSWORD@HOST[:PORT]/ROOM, with ROOM as !id:server or #alias:server',
  server: ({ authority }) => authority,
  open(address) {
    const { scheme, user, password, path } = address;
    const [room, ...others] = path;
    if (user === '') throw new Error('an access token, or a user with a password, is missing');
    if (room === undefined || others.length > 0)
      throw new Error('it must name one room, as !id:server or #alias:server');
    const origin = originOf(address, scheme === 'matrixs');
    const host = new URL(origin).hostname;
    const isNamed = /^[!#]/.test(room);
    const fullRoom = `${isNamed ? '' : '#'}${room}${room.includes(':') || room.startsWith('!') ? '' : `:${host}`}`;
    const url = `${origin}/_matrix/client/v3`;
    return async ({ id, title, text, priority }, { ask }) => {
      const signIn = { type: 'm.login.password', identifier: { type: 'm.id.user', user }, password };
      const login = password === '' ? null : await ask({ url: `${url}/login`, body: signIn });
      if (login?.ok === false) return login;
      const token = login === null ? user : fieldOf(login, 'access_token');
      if (token === null) return refusedAnswer('it answered without an access token', '');
      const headers = { Authorization: `Bearer ${token}` };
      try {
        const joined = await ask({ url: `${url}/join/${encodeURIComponent(fullRoom)}`, headers, body: {} });
        if (!joined.ok) return joined;
        const roomId = fieldOf(joined, 'room_id');
        if (roomId === null) return refusedAnswer('it answered without the id of the room', joined.answer);
        // The server drops a second message with the same id.
        const place = `rooms/${encodeURIComponent(roomId)}/send/m.room.message/${encodeURIComponent(id)}`;
        const body = { msgtype: priority === 'low' ? 'm.notice' : 'm.text', body: `${title}\n${text}` };
        return await ask({ method: 'PUT', url: `${url}/${place}`, headers, body });
      } finally {
        if (login !== null) await ask({ url: `${url}/logout`, headers, body: {} });
      }
    };
  },
});

function fieldOf({ answer }: TargetAnswer, name: string): string | null {
  const field = objectIn(answer)?.[name];
  return typeof field === 'string' && field !== '' ? field : null;
}
