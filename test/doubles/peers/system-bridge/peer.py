"""Does what Home Assistant does with the service, over the same library (aiohttp) and as unforgiving as its connector.

    python3 peer.py ADDRESS PORT TOKEN COMMAND_ID BASE FILE

Prints one line of JSON: what it saw, and how long things took. Ends with an error at the first thing its kind would not survive.
"""

import asyncio
import json
import sys
import time

import aiohttp
from yarl import URL

REPLY_KEYS = {"id", "type", "data", "subtype", "message", "module"}
# Requested in one message right after the start; the client waits for every one of them.
NINE = ["battery", "cpu", "disks", "displays", "gpus", "media", "memory", "processes", "system"]
# One for each method and process, not for each call.
IDS = {}


class Peer:
    def __init__(self, session, address, port, token):
        self.session, self.token = session, token
        self.base = f"{address}:{port}"
        self.waiting = {}
        self.modules = {}
        self.others = []
        self.listener = None

    async def get(self, path, token=None):
        """Every error is parsed as JSON before the status is checked."""
        headers = {"Accept": "application/json", "token": self.token if token is None else token}
        async with self.session.get(f"http://{self.base}{path}", headers=headers) as response:
            assert "application/json" in response.headers.get("Content-Type", ""), path
            return response.status, await response.json()

    async def connect(self):
        self.socket = await self.session.ws_connect(f"ws://{self.base}/api/websocket", heartbeat=30)
        self.listener = asyncio.create_task(self.listen())

    async def listen(self):
        async for frame in self.socket:
            assert frame.type == aiohttp.WSMsgType.TEXT, frame.type
            message = frame.json()
            unknown = set(message) - REPLY_KEYS
            assert not unknown, f"{message['type']} has the unknown key {unknown}"
            assert "data" in message, f"{message['type']} has no data"
            assert message.get("message", "") is not None and message.get("module", "") is not None
            if message["type"] == "ERROR" and message["subtype"] == "BAD_TOKEN":
                raise PermissionError(message["message"])
            future, wanted = self.waiting.get(message["id"], (None, None))
            if wanted == message["type"] and not future.done():
                future.set_result(message)
            elif message["type"] == "DATA_UPDATE":
                if message["data"] is not None:
                    self.modules.setdefault(message["module"], []).append(message["data"])
            else:
                self.others.append([message["id"], message["type"], message["subtype"]])

    async def ask(self, event, data, reply):
        """Waits for the one type that is the answer, and for 8 s at most: an ERROR is as good as silence to it."""
        request_id = IDS.setdefault(event, f"id of {event}")
        future = asyncio.get_running_loop().create_future()
        self.waiting[request_id] = future, reply
        await self.socket.send_json({"token": self.token, "id": request_id, "event": event, "data": data})
        if reply is None:
            return None
        done, _ = await asyncio.wait({future, self.listener}, timeout=8, return_when=asyncio.FIRST_COMPLETED)
        if self.listener in done:
            self.listener.result()
        assert future in done, f"{event} was not answered with {reply}: {self.others}"
        return future.result()

    async def until(self, condition, what):
        for _ in range(600):
            if condition():
                return
            if self.listener.done():
                self.listener.result()
            await asyncio.sleep(0.05)
        raise TimeoutError(what)

    async def disconnect(self):
        self.listener.cancel()
        await self.socket.close()


async def main(address, port, token, command, base, file):
    seen = {}
    async with aiohttp.ClientSession() as session:
        peer = Peer(session, address, port, token)
        seen["information"] = (await peer.get("/information"))[0]
        seen["wrong_token"] = (await peer.get("/api/data/system", token="wrong"))[0]
        seen["version"] = (await peer.get("/api/data/system"))[1]["version"]

        await peer.connect()
        started = time.monotonic()
        await peer.ask("GET_DATA", {"modules": NINE}, "DATA_GET")
        await peer.until(lambda: all(name in peer.modules for name in NINE), f"nine modules: {list(peer.modules)}")
        seen["nine_ms"] = round((time.monotonic() - started) * 1000)
        seen["modules"] = {name: payloads[-1] for name, payloads in peer.modules.items()}

        registered = await peer.ask("REGISTER_DATA_LISTENER", {"modules": NINE}, "DATA_LISTENER_REGISTERED")
        seen["registered"] = registered["data"]
        before = len(peer.modules["cpu"])
        await peer.until(lambda: len(peer.modules["cpu"]) > before + 1, "a pushed update")

        directories = await peer.ask("GET_DIRECTORIES", {}, "DIRECTORIES")
        seen["directories"] = directories["data"]
        seen["files"] = (await peer.ask("GET_FILES", {"base": base, "path": None}, "FILES"))["data"]
        seen["file"] = (await peer.ask("GET_FILE", {"base": base, "path": file}, "FILE"))["data"]
        # Concatenated without encoding anything.
        url = f"http://{peer.base}/api/media/file/data?token={token}&base={base}&path={file}"
        async with session.get(URL(url, encoded=True)) as response:
            seen["media"] = [response.status, (await response.read()).decode()]

        seen["command"] = (await peer.ask("COMMAND_EXECUTE", {"commandID": command}, "COMMAND_COMPLETED"))["data"]
        # Called repeatedly with the same ids; the client does not wait for this one.
        for action in ("PLAY", "VOLUME_UP"):
            await peer.ask("MEDIA_CONTROL", {"action": action, "value": None}, None)
        # Every known field is sent, most of them as null.
        nulls = dict.fromkeys(("message", "icon", "image", "actions", "timeout", "audio"))
        await peer.ask("NOTIFICATION", {"title": "Hello", **nulls}, None)
        await peer.ask("POWER_LOCK", {}, None)
        await peer.ask("POWER_LOCK", {}, None)
        wanted = ["id of MEDIA_CONTROL"] * 2 + ["id of NOTIFICATION"] + ["id of POWER_LOCK"] * 2
        final = lambda: [id for id, kind, _ in peer.others if kind != "COMMAND_EXECUTING"]
        await peer.until(lambda: len(final()) >= len(wanted), f"answers to all: {peer.others}")
        seen["answered"] = sorted(final()) == sorted(wanted)
        seen["others"] = peer.others

        # After a reconnect it registers, with the same id as before, and sends no other request.
        await peer.disconnect()
        peer.modules.clear()
        await peer.connect()
        started = time.monotonic()
        await peer.ask("REGISTER_DATA_LISTENER", {"modules": NINE}, "DATA_LISTENER_REGISTERED")
        await peer.until(lambda: all(name in peer.modules for name in NINE), "modules after a reconnect")
        seen["again_ms"] = round((time.monotonic() - started) * 1000)
        await peer.disconnect()
    print(json.dumps(seen))


asyncio.run(main(*sys.argv[1:]))
