"""Constants of the Hostler integration."""

from typing import Final

from homeassistant.const import Platform

DOMAIN: Final = "hostler"
DEFAULT_PORT: Final = 9170
DEFAULT_TLS_PORT: Final = 9171

CONF_AUTHORITY: Final = "authority"
"""Certificate authority of the machine (PEM); its certificates alone are accepted."""
CONF_TLS: Final = "tls"
CONF_INTERVAL: Final = "interval"
CONF_EXCLUDED: Final = "excluded"

EVENT_HOSTLER: Final = "hostler_event"

ISSUES: Final = ("certificate_changed", "missing_scopes")
"""Repairs; the id of the entry follows in their ids."""

SCOPES: Final = (
    "read",
    "files",
    "media",
    "notify",
    "control",
    "power",
    "command",
)

PLATFORMS: Final = (
    Platform.BINARY_SENSOR,
    Platform.BUTTON,
    Platform.EVENT,
    Platform.IMAGE,
    Platform.MEDIA_PLAYER,
    Platform.NOTIFY,
    Platform.NUMBER,
    Platform.SELECT,
    Platform.SENSOR,
    Platform.SWITCH,
    Platform.TEXT,
    Platform.UPDATE,
)
