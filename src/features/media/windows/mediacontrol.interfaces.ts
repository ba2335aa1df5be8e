import { defineInterface } from '../../../host/windows/com/interfaces.ts';

/**
 * Windows.Media.Control. No C header declares it; order and GUIDs are from the Windows metadata, as published in the Rust bindings.
 */
const define = <const M extends Parameters<typeof defineInterface>[2]>(name: string, id: string, methods: M) =>
  defineInterface<M>(`IGlobalSystemMediaTransportControls${name}`, id, methods, 'neither');

export const SessionManagerStatics = define('SessionManagerStatics', '2050c4ee-11a0-57de-aed7-c97c70338245', {
  RequestAsync: [6, 'ptr'],
});

export const MediaSessionManager = define('SessionManager', 'cace8eac-e86e-504a-ab31-5ff8ff1bce49', {
  GetCurrentSession: [6, 'ptr'],
  GetSessions: [7, 'ptr'],
});

export const Session = define('Session', '7148c835-9b14-5ae2-ab85-dc9b1c14e1a8', {
  SourceAppUserModelId: [6, 'ptr'],
  TryGetMediaPropertiesAsync: [7, 'ptr'],
  GetTimelineProperties: [8, 'ptr'],
  GetPlaybackInfo: [9, 'ptr'],
  TryPlayAsync: [10, 'ptr'],
  TryPauseAsync: [11, 'ptr'],
  TryStopAsync: [12, 'ptr'],
  TrySkipNextAsync: [16, 'ptr'],
  TrySkipPreviousAsync: [17, 'ptr'],
  TryTogglePlayPauseAsync: [20, 'ptr'],
  TryChangeAutoRepeatModeAsync: [21, 'i32', 'ptr'],
  TryChangeShuffleActiveAsync: [23, 'u8', 'ptr'],
  TryChangePlaybackPositionAsync: [24, 'i64', 'ptr'],
});

export const MediaProperties = define('SessionMediaProperties', '68856cf6-adb4-54b2-ac16-05837907acb6', {
  Title: [6, 'ptr'],
  Subtitle: [7, 'ptr'],
  AlbumArtist: [8, 'ptr'],
  Artist: [9, 'ptr'],
  AlbumTitle: [10, 'ptr'],
  TrackNumber: [11, 'ptr'],
  PlaybackType: [14, 'ptr'],
  Thumbnail: [15, 'ptr'],
});

export const PlaybackControls = define('SessionPlaybackControls', '6501a3e6-bc7a-503a-bb1b-68f158f3fb03', {
  IsPlayEnabled: [6, 'ptr'],
  IsPauseEnabled: [7, 'ptr'],
  IsStopEnabled: [8, 'ptr'],
  IsNextEnabled: [12, 'ptr'],
  IsPreviousEnabled: [13, 'ptr'],
  IsPlayPauseToggleEnabled: [16, 'ptr'],
  IsShuffleEnabled: [17, 'ptr'],
  IsRepeatEnabled: [18, 'ptr'],
  IsPlaybackPositionEnabled: [20, 'ptr'],
});

export const PlaybackInfo = define('SessionPlaybackInfo', '94b4b6cf-e8ba-51ad-87a7-c10ade106127', {
  Controls: [6, 'ptr'],
  PlaybackStatus: [7, 'ptr'],
  PlaybackType: [8, 'ptr'],
  AutoRepeatMode: [9, 'ptr'],
  PlaybackRate: [10, 'ptr'],
  IsShuffleActive: [11, 'ptr'],
});

export const TimelineProperties = define('SessionTimelineProperties', 'ede34136-6f25-588d-8ecf-ea5b6735aaa5', {
  StartTime: [6, 'ptr'],
  EndTime: [7, 'ptr'],
  MinSeekTime: [8, 'ptr'],
  MaxSeekTime: [9, 'ptr'],
  Position: [10, 'ptr'],
  LastUpdatedTime: [11, 'ptr'],
});
