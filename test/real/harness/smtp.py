"""An SMTP server (aiosmtpd): python3 smtp.py MODE CERTIFICATE KEY. Prints its port, then each login and message as a line of JSON."""
import json
import ssl
import sys
import threading

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult

mode, certificate, key = sys.argv[1:4]


def say(**what):
    print(json.dumps(what), flush=True)


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        if address.startswith("later"):
            return "451 4.7.1 Greylisted, try again"
        if address.startswith("never"):
            return "550 5.1.1 No such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        say(
            sender=envelope.mail_from,
            recipients=envelope.rcpt_tos,
            content=envelope.content.decode(),
            tls=session.ssl is not None or mode == "implicit",
        )
        return "250 2.0.0 Ok: queued as 4711"


def authenticate(server, session, envelope, mechanism, data):
    login, password = data.login.decode(), data.password.decode()
    say(login=login, mechanism=mechanism)
    return AuthResult(success=(login, password) == ("anna", "pa:ss wörd"), handled=False)


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)


class Own(Controller):
    def factory(self):
        options = dict(self.SMTP_kwargs)
        return SMTP(self.handler, **options)


options = {"authenticator": authenticate, "enable_SMTPUTF8": True}
if mode == "starttls":
    options.update(tls_context=context, require_starttls=True, auth_required=True)
elif mode == "implicit":
    options.update(auth_required=True, auth_require_tls=False)
elif mode == "login":
    options.update(tls_context=context, auth_required=True, auth_exclude_mechanism=["PLAIN"])
else:
    options = {}
server = Own(
    Handler(), hostname="127.0.0.1", port=0, ssl_context=context if mode == "implicit" else None, **options
)
server.ready_timeout = 30
# Port 0: the controller connects to the port it was given, so a free one is chosen here.
import socket

with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    server.port = probe.getsockname()[1]
server.start()
say(port=server.port)
threading.Event().wait()
