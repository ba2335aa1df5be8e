"""Sends with Debian's apprise: python3 apprise-send.py URL SERVER TITLE BODY. SERVER replaces that of services with a fixed one."""
import sys

import apprise
from apprise.plugins.NotifyDiscord import NotifyDiscord
from apprise.plugins.NotifyPushover import NotifyPushover
from apprise.plugins.NotifySlack import NotifySlack
from apprise.plugins.NotifyTelegram import NotifyTelegram

url, server, title, body = sys.argv[1:5]
NotifyTelegram.notify_url = f"{server}/bot"
NotifyDiscord.notify_url = f"{server}/api/webhooks"
NotifyPushover.notify_url = f"{server}/1/messages.json"
NotifySlack.webhook_url = f"{server}/services"
NotifySlack.api_url = f"{server}/api/{{}}"
target = apprise.Apprise()
if not target.add(url):
    sys.exit("apprise does not know this URL")
sys.exit(0 if target.notify(title=title, body=body, body_format=apprise.NotifyFormat.TEXT) else 1)
