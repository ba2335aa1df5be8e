"""Image entities of Hostler."""

from datetime import datetime
from typing import override

from homeassistant.components.image import Image, ImageEntity
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.util import dt as dt_util

from .api import HostlerError
from .coordinator import HostlerConfigEntry, HostlerCoordinator
from .entity import HostlerEntity
from .models import Description

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant, entry: HostlerConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add the entities that the machine describes."""
    entry.runtime_data.add_platform("image", async_add_entities, HostlerImage)


class HostlerImage(HostlerEntity, ImageEntity):
    """A picture of the machine, such as the artwork of a title."""

    def __init__(self, coordinator: HostlerCoordinator, description: Description) -> None:
        """Create the image of a description."""
        HostlerEntity.__init__(self, coordinator, description)
        ImageEntity.__init__(self, coordinator.hass)
        self._shown: float | None = None
        self._follow()

    def _follow(self) -> None:
        # Not from an address that a player names: it could lead anywhere in the network of Home Assistant.
        value = None if isinstance(self.known, str) else self.known
        if value == self._shown:
            return
        self._shown = value
        self._cached_image = None
        self._attr_image_last_updated: datetime | None = None if value is None else dt_util.utcnow()

    @override
    async def async_added_to_hass(self) -> None:
        await super().async_added_to_hass()
        # The name of an action: its answer is the picture.
        group = self.described.group
        if "." in group:
            self.coordinator.pictures[group] = self._show
            self.async_on_remove(lambda: self.coordinator.pictures.pop(group, None) and None)

    def _show(self, type_: str, picture: bytes) -> None:
        self._attr_content_type = type_
        self._cached_image = Image(type_, picture)
        self._attr_image_last_updated = dt_util.utcnow()
        self.async_write_ha_state()

    @override
    def _handle_coordinator_update(self) -> None:
        self._follow()
        super()._handle_coordinator_update()

    @override
    async def async_image(self) -> bytes | None:
        if self._cached_image is not None:
            return self._cached_image.content
        if self._shown is None:
            return None
        try:
            answer = await self.coordinator.client.picture(self.key)
        except HostlerError:
            return None
        self._attr_content_type = answer.type
        return answer.body
