"""Media player entities of Hostler."""

from datetime import datetime
from typing import Any, override

from homeassistant.components import media_source
from homeassistant.components.media_player import MediaPlayerEntity
from homeassistant.components.media_player.browse_media import (
    BrowseMedia,
    async_process_play_media_url,
)
from homeassistant.components.media_player.const import (
    MediaPlayerEntityFeature,
    MediaPlayerState,
    MediaType,
    RepeatMode,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.util import dt as dt_util

from .api import HostlerError
from .coordinator import HostlerConfigEntry
from .entity import HostlerEntity

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant, entry: HostlerConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add the entities that the machine describes."""
    entry.runtime_data.add_platform("media_player", async_add_entities, HostlerMediaPlayer)


STATES = {
    "playing": MediaPlayerState.PLAYING,
    "paused": MediaPlayerState.PAUSED,
    "changing": MediaPlayerState.BUFFERING,
    "stopped": MediaPlayerState.IDLE,
}
VERBS = {
    "play": MediaPlayerEntityFeature.PLAY,
    "pause": MediaPlayerEntityFeature.PAUSE,
    "stop": MediaPlayerEntityFeature.STOP,
    "next": MediaPlayerEntityFeature.NEXT_TRACK,
    "previous": MediaPlayerEntityFeature.PREVIOUS_TRACK,
}
REPEATS = {"NONE": RepeatMode.OFF, "TRACK": RepeatMode.ONE, "LIST": RepeatMode.ALL}
REPEAT_VALUES = {RepeatMode.OFF: 0, RepeatMode.ONE: 1, RepeatMode.ALL: 2}
PLAY_MEDIA = MediaPlayerEntityFeature.PLAY_MEDIA | MediaPlayerEntityFeature.BROWSE_MEDIA


class HostlerMediaPlayer(HostlerEntity, MediaPlayerEntity):
    """The players of the machine, with its sound."""

    @property
    def _state(self) -> dict[str, Any]:
        value = self.known
        return value if isinstance(value, dict) else {}

    def _has(self, key: str) -> bool:
        return key in self.coordinator.machine.entities

    def _of(self, key: str) -> Any:
        return self.coordinator.data.values.get(key) if self._has(key) else None

    @property
    def _volume_key(self) -> str | None:
        """Return the control of the sound of the machine, or of the player where there is none."""
        keys = [key for key in ("volume", "media_volume") if self._of(key) is not None]
        return keys[0] if keys else None

    @property
    @override
    def supported_features(self) -> MediaPlayerEntityFeature:
        state = self._state
        features = MediaPlayerEntityFeature(0)
        for verb in state.get("can", []):
            features |= VERBS.get(verb, MediaPlayerEntityFeature(0))
        if state.get("duration") is not None:
            features |= MediaPlayerEntityFeature.SEEK
        if state.get("shuffle") is not None:
            features |= MediaPlayerEntityFeature.SHUFFLE_SET
        if state.get("repeat") is not None:
            features |= MediaPlayerEntityFeature.REPEAT_SET
        if self._volume_key is not None:
            features |= MediaPlayerEntityFeature.VOLUME_SET | MediaPlayerEntityFeature.VOLUME_STEP
        if self._has("mute"):
            features |= MediaPlayerEntityFeature.VOLUME_MUTE
        if self._has("output"):
            features |= MediaPlayerEntityFeature.SELECT_SOURCE
        if "media.play" in self.coordinator.actions:
            features |= PLAY_MEDIA
        return features

    @property
    @override
    def state(self) -> MediaPlayerState:
        return STATES.get(str(self._state.get("status")), MediaPlayerState.IDLE)

    @property
    @override
    def media_title(self) -> str | None:
        return self._state.get("title")

    @property
    @override
    def media_artist(self) -> str | None:
        return self._state.get("artist")

    @property
    @override
    def media_album_name(self) -> str | None:
        return self._state.get("album")

    @property
    @override
    def media_content_type(self) -> MediaType | None:
        return MediaType.VIDEO if self._state.get("type") == "video" else MediaType.MUSIC

    @property
    @override
    def app_name(self) -> str | None:
        return self._state.get("player")

    @property
    @override
    def media_duration(self) -> int | None:
        duration = self._state.get("duration")
        return None if duration is None else int(duration)

    @property
    @override
    def media_position(self) -> int | None:
        position = self._state.get("position")
        return None if position is None else int(position)

    @property
    @override
    def media_position_updated_at(self) -> datetime | None:
        at = self._state.get("updated_at")
        return None if at is None else dt_util.utc_from_timestamp(float(at))

    @property
    @override
    def media_image_url(self) -> str | None:
        # The player names this address: browsers may load it, Home Assistant in its network does not.
        artwork = self._of("media_artwork")
        return artwork if isinstance(artwork, str) and artwork.startswith("https://") else None

    @property
    @override
    def media_image_remotely_accessible(self) -> bool:
        return self.media_image_url is not None

    @property
    @override
    def media_image_hash(self) -> str | None:
        artwork = self._of("media_artwork")
        return None if artwork is None or isinstance(artwork, str) else str(artwork)

    @override
    async def async_get_media_image(self) -> tuple[bytes | None, str | None]:
        if self.media_image_hash is None:
            return None, None
        try:
            answer = await self.coordinator.client.picture("media_artwork")
        except HostlerError:
            return None, None
        return answer.body, answer.type

    @property
    @override
    def shuffle(self) -> bool | None:
        return self._state.get("shuffle")

    @property
    @override
    def repeat(self) -> RepeatMode | None:
        return REPEATS.get(str(self._state.get("repeat")))

    @property
    @override
    def volume_level(self) -> float | None:
        volume = self._of(self._volume_key or "")
        return None if volume is None else float(volume) / 100

    @property
    @override
    def is_volume_muted(self) -> bool | None:
        muted = self._of("mute")
        return muted if isinstance(muted, bool) else None

    @property
    @override
    def source(self) -> str | None:
        output = self._of("output")
        return output if isinstance(output, str) else None

    @property
    @override
    def source_list(self) -> list[str] | None:
        output = self.coordinator.machine.entities.get("output")
        return None if output is None else output.texts("options")

    async def _do(self, action: str, value: Any = None) -> None:
        await self.control({"action": action} if value is None else {"action": action, "value": value})

    @override
    async def async_media_play(self) -> None:
        await self._do("PLAY")

    @override
    async def async_media_pause(self) -> None:
        await self._do("PAUSE")

    @override
    async def async_media_stop(self) -> None:
        await self._do("STOP")

    @override
    async def async_media_next_track(self) -> None:
        await self._do("NEXT")

    @override
    async def async_media_previous_track(self) -> None:
        await self._do("PREVIOUS")

    @override
    async def async_media_seek(self, position: float) -> None:
        await self._do("POSITION", position)

    @override
    async def async_set_shuffle(self, shuffle: bool) -> None:
        await self._do("SHUFFLE", shuffle)

    @override
    async def async_set_repeat(self, repeat: RepeatMode) -> None:
        await self._do("REPEAT", REPEAT_VALUES[repeat])

    @override
    async def async_set_volume_level(self, volume: float) -> None:
        if self._volume_key is not None:
            await self.coordinator.control(self._volume_key, round(volume * 100))

    @override
    async def async_mute_volume(self, mute: bool) -> None:
        await self.coordinator.control("mute", mute)

    @override
    async def async_select_source(self, source: str) -> None:
        await self.coordinator.control("output", source)

    @override
    async def async_play_media(self, media_type: MediaType | str, media_id: str, **kwargs: Any) -> None:
        """Play a file or a text that Home Assistant speaks: both are addresses here."""
        if media_source.is_media_source_id(media_id):
            played = await media_source.async_resolve_media(self.hass, media_id, self.entity_id)
            media_id = played.url
        url = async_process_play_media_url(self.hass, media_id)
        await self.coordinator.run_action("media.play", {"url": url})

    @override
    async def async_browse_media(
        self, media_content_type: MediaType | str | None = None, media_content_id: str | None = None
    ) -> BrowseMedia:
        return await media_source.async_browse_media(
            self.hass,
            media_content_id,
            content_filter=lambda item: item.media_content_type.startswith("audio/"),
        )
