"""Update entities of Hostler."""

from typing import override

from homeassistant.components.update import UpdateEntity
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import HostlerConfigEntry
from .entity import HostlerEntity

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant, entry: HostlerConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add the entities that the machine describes."""
    entry.runtime_data.add_platform("update", async_add_entities, HostlerUpdate)


class HostlerUpdate(HostlerEntity, UpdateEntity):
    """A new version of the service; it is installed on the machine."""

    def _part(self, name: str) -> str | None:
        value = self.known
        part = value.get(name) if isinstance(value, dict) else None
        return part if isinstance(part, str) else None

    @property
    @override
    def installed_version(self) -> str | None:
        return self._part("installed_version")

    @property
    @override
    def latest_version(self) -> str | None:
        return self._part("latest_version")

    @property
    @override
    def release_url(self) -> str | None:
        url = self._part("release_url")
        return url if url is not None and url.startswith(("https://", "http://")) else None
