"""Config flow: found or entered address, then pairing or a token."""

import asyncio
from collections.abc import Mapping
import re
from typing import Any, override

import voluptuous as vol

from homeassistant.config_entries import (
    SOURCE_REAUTH,
    SOURCE_RECONFIGURE,
    SOURCE_ZEROCONF,
    ConfigEntry,
    ConfigEntryState,
    ConfigFlow,
    ConfigFlowResult,
    OptionsFlow,
    OptionsFlowWithReload,
)
from homeassistant.const import CONF_HOST, CONF_PORT, CONF_TOKEN
from homeassistant.core import callback
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.selector import (
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
    SelectSelector,
    SelectSelectorConfig,
    TextSelector,
    TextSelectorConfig,
    TextSelectorType,
)
from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo

from . import async_create_client
from .api import CannotConnect, HostlerError, InvalidAuth, is_own_authority
from .const import (
    CONF_AUTHORITY,
    CONF_EXCLUDED,
    CONF_INTERVAL,
    CONF_TLS,
    DEFAULT_PORT,
    DOMAIN,
    SCOPES,
)
from .coordinator import HostlerConfigEntry
from .models import Machine
from .pairing import OtherMachine, Pairing, PairingRefused, fingerprint_of, read_authority

NAME = "Home Assistant"
METHODS = ["pair", "token"]
FAILURES: dict[type[HostlerError], str] = {
    PairingRefused: "denied",
    OtherMachine: "other_machine",
    CannotConnect: "cannot_connect",
    InvalidAuth: "invalid_auth",
}
# Machines that announce themselves and do not answer must not take every thread of Home Assistant.
_ANNOUNCED = asyncio.Semaphore(4)
REFUSALS = {403: "pairing_off", 409: "prompt_open", 429: "too_soon"}


def _address_schema(host: str, port: int, tls: bool) -> vol.Schema:
    return vol.Schema(
        {
            vol.Required(CONF_HOST, default=host): cv.string,
            vol.Required(CONF_PORT, default=port): cv.port,
            vol.Required(CONF_TLS, default=tls): cv.boolean,
        }
    )


def _refusal(error: HostlerError) -> str:
    """Return the key of a fixed text: the text of a machine that is not authenticated yet could show its own digits."""
    of_kind = next((key for kind, key in FAILURES.items() if isinstance(error, kind)), "failed")
    return REFUSALS.get(error.status or 0, of_kind)


def _announced_name(text: str | None, host: str) -> str:
    """Return one word of an announced name: descriptions are Markdown."""
    word = re.match(r"[\w-]{1,40}", text or "")
    return host if word is None else word[0]


def _plain(name: str) -> str:
    """Return a name without marks: repairs show it in Markdown."""
    return re.sub(r"[^\w.-]+", " ", name)[:64].strip()


def _is_pinned_alone(entry: ConfigEntry) -> bool:
    """Return whether the pinned authority of an entry authenticates its machine alone."""
    authority = entry.data.get(CONF_AUTHORITY)
    return authority is not None and is_own_authority(authority)


class HostlerConfigFlow(ConfigFlow, domain=DOMAIN):
    """Adds a machine."""

    VERSION = 1

    def __init__(self) -> None:
        """Create the flow."""
        self._data: dict[str, Any] = {}
        self._title = ""
        self._digits = ""
        self._reason = ""
        self._token: str | None = None
        self._waiting: asyncio.Task[str] | None = None

    @staticmethod
    @callback
    @override
    def async_get_options_flow(config_entry: ConfigEntry) -> OptionsFlow:
        return HostlerOptionsFlow()

    async def _set_address(self, host: str, port: int, tls: bool) -> None:
        """Remember an address; with TLS the authority at the end of its chain."""
        self._data = {CONF_HOST: host, CONF_PORT: port}
        if tls:
            authority = await self.hass.async_add_executor_job(read_authority, host, port)
            self._data[CONF_AUTHORITY] = authority

    async def _address_step(
        self, step: str, user_input: dict[str, Any] | None, default: vol.Schema
    ) -> ConfigFlowResult:
        errors: dict[str, str] = {}
        if user_input is not None:
            try:
                await self._set_address(
                    user_input[CONF_HOST], user_input[CONF_PORT], user_input[CONF_TLS]
                )
                client = await async_create_client(self.hass, self._data, "")
                await client.request("GET", "/api/health")
            except HostlerError:
                errors["base"] = "cannot_connect"
            else:
                self._title = user_input[CONF_HOST]
                return await self.async_step_method()
        schema = default if user_input is None else self.add_suggested_values_to_schema(default, user_input)
        return self.async_show_form(step_id=step, data_schema=schema, errors=errors)

    @override
    async def async_step_user(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for the address."""
        return await self._address_step("user", user_input, _address_schema("", DEFAULT_PORT, False))

    async def async_step_reconfigure(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask for another address; access is granted anew."""
        data = self._get_reconfigure_entry().data
        schema = _address_schema(data[CONF_HOST], data[CONF_PORT], CONF_AUTHORITY in data)
        return await self._address_step("reconfigure", user_input, schema)

    @override
    async def async_step_zeroconf(self, discovery_info: ZeroconfServiceInfo) -> ConfigFlowResult:
        """Take a machine that announced itself."""
        properties = discovery_info.properties
        uuid, tls_port = properties.get("uuid"), properties.get("tls_port")
        if not uuid:
            # A machine that announces only its address cannot be recognised.
            return self.async_abort(reason="not_hostler")
        host, tls = discovery_info.host, tls_port is not None
        port = int(tls_port) if tls_port is not None else discovery_info.port or DEFAULT_PORT
        entry = await self.async_set_unique_id(uuid)
        # An announcement is not authenticated: only an entry with the authority of one machine moves, because its token
        # is sent to nothing else, and only while its machine is not connected.
        same = (
            entry is not None
            and _is_pinned_alone(entry)
            and tls
            and not (entry.state is ConfigEntryState.LOADED and entry.runtime_data.connected)
        )
        self._abort_if_unique_id_configured(
            updates={CONF_HOST: host, CONF_PORT: port} if same else None
        )
        self._title = _announced_name(properties.get("host"), host)
        self.context["title_placeholders"] = {"name": self._title}
        try:
            async with _ANNOUNCED:
                await self._set_address(host, port, tls)
        except HostlerError:
            return self.async_abort(reason="cannot_connect")
        return await self.async_step_method()

    async def async_step_method(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Choose how access is granted."""
        authority = self._data.get(CONF_AUTHORITY)
        return self.async_show_menu(
            step_id="method",
            menu_options=METHODS,
            description_placeholders={
                "name": self._title,
                "fingerprint": "-" if authority is None else fingerprint_of(authority),
            },
        )

    async def async_step_pair(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Show the digits until the user of the machine has answered."""
        if self._waiting is None:
            try:
                client = await async_create_client(self.hass, self._data, "")
                pairing = Pairing(client, NAME, SCOPES, self._data.get(CONF_AUTHORITY))
                self._digits = await pairing.ask()
            except HostlerError as error:
                self._reason = _refusal(error)
                return await self.async_step_refused()
            self._waiting = self.hass.async_create_task(pairing.wait())
        if not self._waiting.done():
            return self.async_show_progress(
                step_id="pair",
                progress_action="compare",
                description_placeholders={"digits": self._digits, "name": self._title},
                progress_task=self._waiting,
            )
        waiting, self._waiting = self._waiting, None
        try:
            self._token = waiting.result()
        except HostlerError as error:
            self._reason = _refusal(error)
            return self.async_show_progress_done(next_step_id="refused")
        return self.async_show_progress_done(next_step_id="granted")

    async def async_step_refused(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Offer another attempt."""
        if user_input is not None:
            return await self.async_step_method()
        return self.async_show_form(
            step_id="refused",
            errors={"base": self._reason},
            description_placeholders={"name": self._title},
        )

    async def async_step_granted(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Use the token of the pairing."""
        try:
            return await self._finish(str(self._token))
        except HostlerError as error:
            self._reason = _refusal(error)
            return await self.async_step_refused()

    async def async_step_token(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for a token."""
        errors: dict[str, str] = {}
        if user_input is not None:
            try:
                return await self._finish(user_input[CONF_TOKEN].strip())
            except InvalidAuth:
                errors["base"] = "invalid_auth"
            except HostlerError:
                errors["base"] = "cannot_connect"
        password = TextSelector(TextSelectorConfig(type=TextSelectorType.PASSWORD))
        return self.async_show_form(
            step_id="token",
            data_schema=vol.Schema({vol.Required(CONF_TOKEN): password}),
            errors=errors,
        )

    async def _finish(self, token: str) -> ConfigFlowResult:
        client = await async_create_client(self.hass, self._data, token)
        machine: Machine = await client.machine()
        data = {**self._data, CONF_TOKEN: token}
        if self.source == SOURCE_ZEROCONF and machine.id != self.unique_id:
            return self.async_abort(reason="other_machine")
        entry = None
        if machine.id is not None:
            entry = await self.async_set_unique_id(machine.id, raise_on_progress=False)
        if self.source in (SOURCE_REAUTH, SOURCE_RECONFIGURE):
            self._abort_if_unique_id_mismatch(reason="other_machine")
            return self.async_update_reload_and_abort(
                self._get_reauth_entry()
                if self.source == SOURCE_REAUTH
                else self._get_reconfigure_entry(),
                data=data,
            )
        # Every machine can claim an id: only the one with the pinned authority moves its entry.
        same = (
            entry is not None
            and _is_pinned_alone(entry)
            and entry.data[CONF_AUTHORITY] == data.get(CONF_AUTHORITY)
        )
        self._abort_if_unique_id_configured(updates=data if same else None)
        title = _plain(machine.name) or self._data[CONF_HOST]
        return self.async_create_entry(title=title, data=data)

    async def async_step_reauth(self, entry_data: Mapping[str, Any]) -> ConfigFlowResult:
        """Ask for access again; the authority stays the same."""
        self._data = {key: value for key, value in entry_data.items() if key != CONF_TOKEN}
        self._title = self._get_reauth_entry().title
        return await self.async_step_reauth_confirm()

    async def async_step_reauth_confirm(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Offer both ways."""
        if user_input is None:
            return self.async_show_form(
                step_id="reauth_confirm", description_placeholders={"name": self._title}
            )
        return await self.async_step_method()

    @callback
    @override
    def async_remove(self) -> None:
        """Stop waiting. The prompt on the machine ends after its own time limit."""
        if self._waiting is not None:
            self._waiting.cancel()


class HostlerOptionsFlow(OptionsFlowWithReload):
    """How often values come, and which modules are left out."""

    config_entry: HostlerConfigEntry

    async def async_step_init(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for the options."""
        if user_input is not None:
            return self.async_create_entry(data=user_input)
        coordinator = self.config_entry.runtime_data
        groups = sorted({each.group for each in coordinator.machine.entities.values()})
        interval = NumberSelectorConfig(
            min=1, max=3600, step=1, unit_of_measurement="s", mode=NumberSelectorMode.BOX
        )
        schema = vol.Schema(
            {
                vol.Optional(CONF_INTERVAL): NumberSelector(interval),
                vol.Optional(CONF_EXCLUDED, default=list): SelectSelector(
                    SelectSelectorConfig(options=groups, multiple=True)
                ),
            }
        )
        return self.async_show_form(
            step_id="init",
            data_schema=self.add_suggested_values_to_schema(schema, self.config_entry.options),
        )
