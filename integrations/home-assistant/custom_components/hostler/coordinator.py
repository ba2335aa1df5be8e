"""Connection to one machine: its description, its values and its events."""

import asyncio
from collections.abc import Callable
import logging
from typing import Any, TypeAlias

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryAuthFailed, HomeAssistantError
from homeassistant.helpers import (
    device_registry as dr,
    entity_registry as er,
    issue_registry as ir,
)
from homeassistant.helpers.device_registry import CONNECTION_NETWORK_MAC, DeviceInfo
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator, UpdateFailed

from .api import CannotConnect, CertificateChanged, HostlerClient, HostlerError, InvalidAuth
from .const import CONF_EXCLUDED, CONF_INTERVAL, DOMAIN, EVENT_HOSTLER, SCOPES
from .models import Description, Machine, Values

HostlerConfigEntry: TypeAlias = "ConfigEntry[HostlerCoordinator]"
Listener: TypeAlias = Callable[[str, dict[str, Any]], None]

_LOGGER = logging.getLogger(__name__)

FIRST_RETRY_SECONDS = 1.0
LAST_RETRY_SECONDS = 30.0


class HostlerCoordinator(DataUpdateCoordinator[Values]):
    """Keeps the values of one machine; they are pushed."""

    config_entry: HostlerConfigEntry
    machine: Machine

    def __init__(self, hass: HomeAssistant, entry: HostlerConfigEntry, client: HostlerClient) -> None:
        """Create the coordinator of an entry."""
        super().__init__(hass, _LOGGER, config_entry=entry, name=entry.title, always_update=False)
        self.client = client
        self.connected = False
        self.actions: set[str] = set()
        self._adders: dict[str, Callable[[list[Description]], None]] = {}
        self._added: set[str] = set()
        self._listeners_of: dict[str, Listener] = {}
        self.pictures: dict[str, Callable[[str, bytes], None]] = {}
        """Images that are the answer of an action, by its name."""
        self._describing = False

    async def _async_setup(self) -> None:
        await self._describe()

    async def _async_update_data(self) -> Values:
        try:
            values = await self.client.values()
        except InvalidAuth as error:
            raise self._auth_failed(error) from error
        except HostlerError as error:
            raise self._not_ready(error) from error
        self.connected = True
        return values

    async def _describe(self) -> None:
        try:
            self.machine = await self.client.machine()
            self.actions = await self.client.action_names()
        except InvalidAuth as error:
            raise self._auth_failed(error) from error
        except HostlerError as error:
            raise self._not_ready(error) from error
        self._report_scopes()

    def _auth_failed(self, error: HostlerError) -> ConfigEntryAuthFailed:
        return ConfigEntryAuthFailed(
            translation_domain=DOMAIN,
            translation_key="invalid_auth",
            translation_placeholders={"reason": str(error)},
        )

    def _not_ready(self, error: HostlerError) -> UpdateFailed:
        self._report_certificate(isinstance(error, CertificateChanged))
        return UpdateFailed(
            translation_domain=DOMAIN,
            translation_key="cannot_connect",
            translation_placeholders={"reason": str(error)},
        )

    def _report_certificate(self, has_changed: bool) -> None:
        issue = f"certificate_changed_{self.config_entry.entry_id}"
        if not has_changed:
            ir.async_delete_issue(self.hass, DOMAIN, issue)
            return
        ir.async_create_issue(
            self.hass,
            DOMAIN,
            issue,
            is_fixable=False,
            severity=ir.IssueSeverity.ERROR,
            translation_key="certificate_changed",
            translation_placeholders={"name": self.config_entry.title},
        )

    def _report_scopes(self) -> None:
        issue = f"missing_scopes_{self.config_entry.entry_id}"
        # The others are granted by users who want what is behind them.
        missing = [scope for scope in self.machine.missing_scopes if scope in SCOPES]
        if not missing:
            ir.async_delete_issue(self.hass, DOMAIN, issue)
            return
        ir.async_create_issue(
            self.hass,
            DOMAIN,
            issue,
            is_fixable=False,
            severity=ir.IssueSeverity.WARNING,
            translation_key="missing_scopes",
            translation_placeholders={
                "name": self.config_entry.title,
                "scopes": ", ".join(missing),
            },
        )

    @property
    def device_info(self) -> DeviceInfo:
        """Return the device of the machine."""
        device = self.machine.device
        info = DeviceInfo(
            identifiers={(DOMAIN, self.machine_id)},
            name=self.machine.name,
            manufacturer=device.get("manufacturer"),
            model=device.get("model"),
            sw_version=device.get("version"),
            configuration_url=device.get("url"),
        )
        if device.get("mac"):
            info["connections"] = {(CONNECTION_NETWORK_MAC, str(device["mac"]))}
        return info

    @property
    def machine_id(self) -> str:
        """Return what identifies the machine."""
        return self.config_entry.unique_id or self.config_entry.entry_id

    @property
    def is_asleep(self) -> bool:
        """Whether the machine announced that it goes to sleep, and has not come back."""
        return not self.connected and self.data.values.get("power_state") == "sleeping"

    def add_platform(
        self,
        platform: str,
        add: AddConfigEntryEntitiesCallback,
        create: Callable[["HostlerCoordinator", Description], Any],
    ) -> None:
        """Add the entities of a platform, now and when the machine describes more."""

        @callback
        def add_all(descriptions: list[Description]) -> None:
            add([create(self, description) for description in descriptions])

        self._adders[platform] = add_all
        self._add_new()

    @callback
    def _add_new(self) -> None:
        excluded = set(self.config_entry.options.get(CONF_EXCLUDED, []))
        for platform, add in self._adders.items():
            new = [
                description
                for description in self.machine.entities.values()
                if description.platform == platform
                and description.key not in self._added
                and description.group not in excluded
            ]
            self._added.update(description.key for description in new)
            if new:
                add(new)

    def listen_events(self, key: str, listener: Listener) -> Callable[[], None]:
        """Call back with the events of an entity."""
        self._listeners_of[key] = listener
        return lambda: self._listeners_of.pop(key, None) and None

    async def control(self, key: str, value: Any = None) -> None:
        """Set an entity of the machine."""
        await self._reported(self.client.control(key, value))

    async def take_picture(self, action: str) -> None:
        """Run an action whose answer is a picture, and show it."""
        self.pictures[action](*await self._reported(self.client.answered_picture(action)))

    async def run_action(self, name: str, data: dict[str, Any]) -> Any:
        """Run an action of the machine."""
        return await self._reported(self.client.run_action(name, data))

    async def _reported(self, work: Any) -> Any:
        try:
            return await work
        except InvalidAuth as error:
            self.config_entry.async_start_reauth(self.hass)
            raise self._refused(error) from error
        except HostlerError as error:
            raise self._refused(error) from error

    def _refused(self, error: HostlerError) -> HomeAssistantError:
        return HomeAssistantError(
            translation_domain=DOMAIN,
            translation_key="refused",
            translation_placeholders={"reason": str(error)},
        )

    async def run(self) -> None:
        """Keep the connection until the entry is unloaded."""
        pause = FIRST_RETRY_SECONDS
        seconds = self.config_entry.options.get(CONF_INTERVAL)
        interval_ms = None if not seconds else int(seconds) * 1000
        while True:
            try:
                await self.client.listen(interval_ms, self._on_connected, self._on_values, self._on_event)
                pause = FIRST_RETRY_SECONDS
            except InvalidAuth:
                self._set_connected(False)
                self.config_entry.async_start_reauth(self.hass)
                return
            except HostlerError as error:
                self._report_certificate(isinstance(error, CertificateChanged))
                if not isinstance(error, CannotConnect):
                    _LOGGER.warning("%s: %s", self.name, error)
            self._set_connected(False)
            await asyncio.sleep(pause)
            pause = min(pause * 2, LAST_RETRY_SECONDS)

    @callback
    def _set_connected(self, connected: bool) -> None:
        if self.connected == connected:
            return
        self.connected = connected
        if connected:
            _LOGGER.info("%s is connected again", self.name)
        else:
            _LOGGER.info("%s is not connected", self.name)
        self.async_update_listeners()

    @callback
    def _on_connected(self) -> None:
        self._report_certificate(False)
        self._set_connected(True)

    @callback
    def _on_values(self, values: Values) -> None:
        self.async_set_updated_data(values)
        if values.revision != self.machine.revision and not self._describing:
            self._describing = True
            self.config_entry.async_create_task(self.hass, self._describe_again())

    async def _describe_again(self) -> None:
        before = self.machine
        try:
            await self._describe()
        except ConfigEntryAuthFailed:
            self.config_entry.async_start_reauth(self.hass)
            return
        except UpdateFailed as error:
            _LOGGER.debug("%s could not be described again: %s", self.name, error)
            return
        finally:
            self._describing = False
        self._remove_gone(before)
        self._add_new()
        self.async_update_listeners()

    def _remove_gone(self, before: Machine) -> None:
        """Remove what the settings of the machine no longer declare."""
        registry = er.async_get(self.hass)
        for key, description in before.entities.items():
            if key in self.machine.entities or description.group not in self.machine.whole:
                continue
            self._added.discard(key)
            entity_id = registry.async_get_entity_id(
                description.platform, DOMAIN, f"{self.machine_id}_{key}"
            )
            if entity_id is not None:
                registry.async_remove(entity_id)

    @callback
    def _on_event(self, event: dict[str, Any]) -> None:
        key, type_, data = str(event["key"]), str(event["type"]), dict(event["data"])
        device = dr.async_get(self.hass).async_get_device({(DOMAIN, self.machine_id)})
        self.hass.bus.async_fire(
            EVENT_HOSTLER,
            {
                "entry_id": self.config_entry.entry_id,
                "device_id": None if device is None else device.id,
                "key": key,
                "type": type_,
                "data": data,
            },
        )
        listener = self._listeners_of.get(key)
        if listener is not None:
            listener(type_, data)
