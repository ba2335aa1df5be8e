// Made by "npm run generate" from the schemas of modules and actions.

/** What each module says. */
export interface ModulePayloads {
  /** The rules of the settings that watch this machine, and which of them are active */
  alerts: {
    /** How many alerts are active */ active: number;
    /** One for each rule of the settings, in their order */
    alerts: {
      /** Id of the rule */ id: string;
      /** Name of the rule */ name: string;
      /** pending: the condition is met, but not for long enough yet; unknown: it cannot be found out; off: the rule is not enabled */
      state: 'ok' | 'pending' | 'active' | 'unknown' | 'off';
      /** Since when it has been in this state, Unix seconds */ since: number;
      /** Condition of the alert, such as Processor above 90 % for 5 min */ condition: string;
      /** The series it watches */ series: string | null;
      /** The event it watches */ event: string | null;
      /** What was measured last, in the unit below */ value: number | null;
      /** Value at which the alert begins */ threshold: number | null;
      /** Unit of both: percent, celsius, watts, bytes, bytes_per_second or processes; of a sensor of your own what the settings say */
      unit: string | null;
      /** What is wrong; empty unless pending or active */ text: string;
      /** Why it is unknown or off */ reason: string | null;
      /** Whether it is quiet time, during which no notifications are sent */ quiet: boolean;
      /** When a notification of it was last sent, Unix seconds */ last_notified: number | null;
      /** Who is notified, and whether that worked */
      notify: {
        /** screen, mqtt, or the id of a webhook or target */ way: string;
        /** idle: there was nothing to send yet; waiting: it will be sent, or tried again; failed: given up */
        state: 'idle' | 'waiting' | 'told' | 'failed';
        /** When a message was last sent, Unix seconds */ told: number | null;
        /** Failed tries of the current message */ tries: number;
        /** What went wrong last */ error: string | null;
      }[];
    }[];
  };
  /** Outputs, inputs and the streams of programs, with their volumes */
  audio: {
    /** Sound server and its version */ server: string | null;
    /** id of the default output */ default_sink: string | null;
    /** id of the default input */ default_source: string | null;
    /** Outputs, such as speakers */
    sinks: {
      /** Identifier to use with AUDIO_CONTROL */ id: string;
      /** Display name */ name: string;
      /** Whether it is the default device */ is_default: boolean;
      /** Volume of the loudest channel, percent; above 100 the signal is amplified */ volume: number;
      is_muted: boolean;
      /** running: something is playing or recording; suspended: powered down to save energy */
      state: 'running' | 'idle' | 'suspended' | null;
      /** Active port, such as Headphones; null: the device has no ports to choose from */ port: string | null;
    }[];
    /** Inputs, such as microphones */
    sources: {
      /** Identifier to use with AUDIO_CONTROL */ id: string;
      /** Display name */ name: string;
      /** Whether it is the default device */ is_default: boolean;
      /** Volume of the loudest channel, percent; above 100 the signal is amplified */ volume: number;
      is_muted: boolean;
      /** running: something is playing or recording; suspended: powered down to save energy */
      state: 'running' | 'idle' | 'suspended' | null;
      /** Active port, such as Headphones; null: the device has no ports to choose from */ port: string | null;
      /** id of the output it monitors; null: a real input */ monitor_of: string | null;
    }[];
    /** What programs are playing and recording */
    streams: {
      /** Number to use with AUDIO_CONTROL, together with kind */ id: number;
      kind: 'playback' | 'recording';
      /** Name of the program */ application: string | null;
      /** What is being played or recorded, in the words of the program */ title: string | null;
      /** Process id */ process: number | null;
      /** id of the output or input it uses */ device: string | null;
      /** Percent; null: the stream has no volume of its own */ volume: number | null;
      is_muted: boolean;
      /** Paused by the program itself */ is_paused: boolean;
    }[];
  };
  /** Charge level of the batteries that power the machine, and of attached devices such as mice, headsets and UPSes */
  battery: {
    /** Whether the battery is charging */ is_charging: boolean | null;
    /** Charge level of all batteries together, 0-100 */ percentage: number | null;
    /** Time until empty, or until full while charging, seconds */ time_remaining: number | null;
    /** Batteries of attached devices: mice, keyboards, headsets, phones, UPSes and the like */
    devices: {
      /** Identifier that stays the same as long as the device is known */ id: string;
      /** Name of the device */ name: string;
      /** Kind of device; other if the system does not report it */
      kind: 'mouse' | 'keyboard' | 'touchpad' | 'pen' | 'tablet' | 'game_controller' | 'headset' | 'headphones' | 'speakers' | 'phone' | 'media_player' | 'wearable' | 'remote_control' | 'camera' | 'ups' | 'other';
      /** Charge level, 0-100 */ percentage: number | null;
      /** Charge level of devices that report no percentage */ level: 'critical' | 'low' | 'normal' | 'high' | 'full' | null;
      /** Whether its battery is charging */ is_charging: boolean | null;
      /** Only for a UPS of the server that battery.nut names */
      ups?: {
        /** What its outlets are supplied from: the mains, its battery, the mains past its electronics, or nothing */
        state: 'on_line' | 'on_battery' | 'bypass' | 'off' | null;
        /** Whether its battery is nearly empty */ low_battery: boolean | null;
        /** Whether its battery needs to be replaced */ replace_battery: boolean | null;
        /** Load, percent of its capacity */ load: number | null;
        /** How long its battery lasts with this load, seconds */ time_remaining: number | null;
        /** Voltage of the mains, volts */ input_voltage: number | null;
      } | undefined;
    }[];
  };
  /** Bluetooth adapters, and the paired devices with whether they are connected */
  bluetooth: {
    /** Bluetooth adapters of this machine */
    adapters: {
      /** Name of the adapter in the system, such as hci0 */ id: string;
      /** What others see this machine as */ name: string;
      /** Its Bluetooth address */ address: string;
      /** Whether it is on */ powered: boolean;
      /** Whether it is searching for devices */ discovering: boolean;
    }[];
    /** Devices that were paired with this machine, or marked as trusted; others nearby are never listed */
    devices: {
      /** Its Bluetooth address */ address: string;
      /** id of the adapter that knows it */ adapter: string;
      /** What it is called, at most 100 characters, without control characters; its address if it has no name */
      name: string;
      /** What kind of device it is */
      kind: 'headset' | 'headphones' | 'speakers' | 'mouse' | 'keyboard' | 'game_controller' | 'tablet' | 'phone' | 'computer' | 'camera' | 'printer' | 'media_player' | 'display' | 'network' | 'other';
      /** Whether it is paired; only paired devices can be connected */ paired: boolean;
      /** Whether it may connect without confirmation */ trusted: boolean;
      /** Whether it is connected */ connected: boolean;
      /** Charge of its battery, 0-100 */ battery: number | null;
      /** Strength of its signal, dBm; only while the adapter is searching */ rssi: number | null;
    }[];
  };
  /** State of the local voice-chat application */
  chat: {
    /** Whether the service is connected to the application */ connected: boolean;
    /** Whether the application accepted the authorization */ authenticated: boolean;
    /** Account of the user */
    user: {
      /** Account id */ id: string;
      /** Account name */ username: string;
      /** Display name */ global_name: string | null;
      /** Address of the avatar; the service never fetches it */ avatar_url: string | null;
    } | null;
    /** The voice channel the user is in; null: none */
    call: {
      /** The voice channel */
      channel: {
        /** Channel id */ id: string;
        /** Channel name */ name: string | null;
        /** Kind of channel */ type: 'GUILD_VOICE' | 'GUILD_STAGE_VOICE' | 'DM' | 'GROUP_DM';
        /** Bits per second */ bitrate: number | null;
        /** Most users allowed; 0: no limit */ user_limit: number | null;
      };
      /** The server; null for direct-message calls */
      server: {
        /** Server id */ id: string;
        /** Server name */ name: string;
        /** Address of the icon; the service never fetches it */ icon_url: string | null;
      } | null;
      /** The voice connection; null until reported */
      connection: {
        /** Such as VOICE_CONNECTED, CONNECTING, NO_ROUTE */ state: string;
        /** Last round trip, milliseconds */ last_ping: number | null;
        /** Average round trip, milliseconds */ average_ping: number | null;
      } | null;
      /** The user's own entry in members */
      me: {
        /** Account */
        user: {
          /** Account id */ id: string;
          /** Account name */ username: string;
          /** Display name */ global_name: string | null;
          /** Address of the avatar; the service never fetches it */ avatar_url: string | null;
        };
        /** Name in the call */ nick: string | null;
        /** Muted by a moderator */ server_mute: boolean;
        /** Deafened by a moderator */ server_deaf: boolean;
        /** Muted their own microphone */ self_mute: boolean;
        /** Deafened themselves */ self_deaf: boolean;
        /** Cannot talk, such as in an AFK channel or as a stage listener */ suppress: boolean;
        /** Whether they are speaking */ speaking: boolean;
        /** Muted locally by the user; null for the user's own entry */ local_mute: boolean | null;
        /** Volume set by the user, 0-200; null for the user's own entry */ volume: number | null;
      } | null;
      /** Everyone in the call, including the user */
      members: {
        /** Account */
        user: {
          /** Account id */ id: string;
          /** Account name */ username: string;
          /** Display name */ global_name: string | null;
          /** Address of the avatar; the service never fetches it */ avatar_url: string | null;
        };
        /** Name in the call */ nick: string | null;
        /** Muted by a moderator */ server_mute: boolean;
        /** Deafened by a moderator */ server_deaf: boolean;
        /** Muted their own microphone */ self_mute: boolean;
        /** Deafened themselves */ self_deaf: boolean;
        /** Cannot talk, such as in an AFK channel or as a stage listener */ suppress: boolean;
        /** Whether they are speaking */ speaking: boolean;
        /** Muted locally by the user; null for the user's own entry */ local_mute: boolean | null;
        /** Volume set by the user, 0-200; null for the user's own entry */ volume: number | null;
      }[];
    } | null;
    /** Whether the user is muted */ mute: boolean | null;
    /** Whether the user is deafened */ deaf: boolean | null;
    /** Microphone */
    input: {
      /** Volume, 0-100 */ volume: number;
      /** Selected device; "default" follows the system */ device_id: string;
      /** Available devices */
      devices: {
        /** Device id */ id: string;
        /** Device name */ name: string;
      }[];
    } | null;
    /** Output */
    output: {
      /** Volume, 0-200 */ volume: number;
      /** Selected device; "default" follows the system */ device_id: string;
      /** Available devices */
      devices: {
        /** Device id */ id: string;
        /** Device name */ name: string;
      }[];
    } | null;
    /** Voice mode */
    mode: {
      /** How speaking is detected */ type: 'VOICE_ACTIVITY' | 'PUSH_TO_TALK';
      /** Whether the application sets the sensitivity */ auto_threshold: boolean;
      /** Voice-activity sensitivity, dB */ threshold: number;
      /** Push-to-talk release delay, milliseconds */ delay: number;
    } | null;
    /** Voice processing */
    processing: {
      /** Noise suppression */ noise_suppression: boolean;
      /** Echo cancellation */ echo_cancellation: boolean;
      /** Automatic gain control */ automatic_gain_control: boolean;
    } | null;
    /** Whether voice packets get priority */ qos: boolean | null;
    /** Whether the application warns about a silent microphone */ silence_warning: boolean | null;
  };
  /** What was copied last; with the scope clipboard only, and only while a client listens */
  clipboard: {
    /** What is on the clipboard. Only for tokens with the scope clipboard, and only while one of them listens */
    content: {
      /** What it is: text, a picture, something else, nothing, or something that a password manager has marked, for which no details are given */
      kind: 'text' | 'image' | 'other' | 'empty' | 'secret' | null;
      /** The text, or how it begins: its first 64 KiB as UTF-8 */ text: string | null;
      /** Whether there is more of the text than that; clipboard.get reads up to 1 MiB */ truncated: boolean;
      /** Which of the well-known media types it can be had in, such as text/html */ types: string[];
      /** Size of the text, bytes as UTF-8 */ size: number | null;
      /** When it was copied, Unix seconds */ changed_at: number | null;
    } | null;
  };
  /** Containers of Docker and Podman: state, health, restarts, CPU, memory, network, disk and ports */
  containers: {
    /** Container engines whose sockets are on this machine */
    engines: {
      /** Name of the engine here: docker or podman, with -rootless where it runs without root, and a number where there are several */
      id: string;
      /** Which engine it is */ name: 'docker' | 'podman';
      /** Its version */ version: string | null;
      /** Whether it runs without the rights of root */ rootless: boolean | null;
      /** Path of the socket where it answers */ socket: string;
      /** Whether it answers */ reachable: boolean;
      /** Why it does not answer, and what to do about it */ problem: string | null;
    }[];
    /** Their containers, in the order of their names */
    containers: {
      /** ID of the container, 64 hexadecimal digits */ id: string;
      /** Name of the container */ name: string;
      /** id of the engine it belongs to */ engine: string;
      /** Image it was made from, as it was named then */ image: string;
      /** What it does; created: it was never started */
      state: 'created' | 'running' | 'paused' | 'restarting' | 'stopping' | 'removing' | 'exited' | 'dead' | 'unknown';
      /** Result of its health check */ health: 'starting' | 'healthy' | 'unhealthy' | null;
      /** When it was started, or when it ended, or when it was created if it was never started; Unix seconds */
      since: number | null;
      /** Exit code of its first process, once that has ended */ exit_code: number | null;
      /** Whether the kernel ended it for lack of memory when it last ended */ oom: boolean;
      /** How often the engine has restarted it automatically */ restarts: number | null;
      /** Processor time used lately, percent; 100 is one core */ cpu_usage: number | null;
      /** Processor time since its start, seconds */ cpu_seconds: number | null;
      /** Memory in use, without the cache that could be dropped at once, bytes */ memory_used: number | null;
      /** Memory in use with all of its cache, bytes */ memory_with_cache: number | null;
      /** Most memory it may use, bytes */ memory_limit: number | null;
      /** Traffic of its own network, without the loop */
      network: {
        /** Received since its start, bytes */ received_bytes: number;
        /** Sent since its start, bytes */ sent_bytes: number;
        /** Received lately, bytes per second */ received_per_second: number | null;
        /** Sent lately, bytes per second */ sent_per_second: number | null;
      } | null;
      /** Disk I/O */
      disk: {
        /** Read from disks since its start, bytes */ read_bytes: number;
        /** Written to disks since its start, bytes */ written_bytes: number;
        /** Read lately, bytes per second */ read_per_second: number | null;
        /** Written lately, bytes per second */ written_per_second: number | null;
      } | null;
      /** Ports that are published on this machine */
      ports: {
        /** Port inside the container */ container_port: number;
        /** tcp, udp or sctp */ protocol: string;
        /** Address of this machine it is published at; empty: all */ host_address: string;
        /** Port of this machine */ host_port: number;
      }[];
      /** Project of Compose it belongs to */ compose_project: string | null;
      /** Service of that project */ compose_service: string | null;
      /** Whether containers.allowlist in the settings names it, so that it can be started and stopped */ allowed: boolean;
      /** Always null: engines do not compare an image with its registry */ update_available: null;
    }[];
  };
  /** The processor: usage, times, frequency, power, temperature and voltage, in total and per core */
  cpu: {
    /** Logical cores that are online */ count: number | null;
    /** Model of the processor; several kinds of cores are joined with + */ name: string | null;
    /** Vendor of the processor */ vendor: string | null;
    /** Family number (x86) or architecture */ family: string | null;
    /** Frequency of all cores, averaged */
    frequency: {
      /** Current frequency of all cores, averaged, MHz */ current: number | null;
      /** Lowest allowed frequency, MHz */ min: number | null;
      /** Highest allowed frequency, MHz */ max: number | null;
    };
    /** Processes running or waiting to run, averaged over the last minute; null on Windows */ load_average: number | null;
    /** Every logical core, by id; the values of one that is offline are null */
    per_cpu: {
      /** Number of the logical core; it does not change when others go offline */ id: number;
      /** Frequency of this core */
      frequency: {
        /** Current frequency of this core, MHz */ current: number | null;
        /** Lowest allowed frequency, MHz */ min: number | null;
        /** Highest allowed frequency, MHz */ max: number | null;
      };
      /** Power draw of this core, watts */ power: number | null;
      /** Time spent by this core */
      times: {
        /** Programs, except niced ones, seconds since boot */ user: number | null;
        /** The kernel, on behalf of programs, seconds since boot */ system: number | null;
        /** Idle, not counting waiting for disks, seconds since boot */ idle: number | null;
        /** Handling hardware interrupts, seconds since boot */ interrupt: number | null;
        /** Deferred procedure calls; Windows only, seconds since boot */ dpc: number | null;
      };
      /** Time spent by this core since the last reading */
      times_percent: {
        /** Programs, except niced ones, 0-100 */ user: number | null;
        /** The kernel, on behalf of programs, 0-100 */ system: number | null;
        /** Idle, not counting waiting for disks or time taken by other virtual machines, 0-100 */ idle: number | null;
        /** Handling hardware interrupts, 0-100 */ interrupt: number | null;
        /** Deferred procedure calls; Windows only, 0-100 */ dpc: number | null;
      };
      /** Share of time this core was busy since the last reading, 0-100 */ usage: number | null;
      /** Voltage of this core, volts */ voltage: number | null;
    }[];
    /** Power draw of all processor packages, watts */ power: number | null;
    /** Counters */
    stats: {
      /** Context switches since boot */ ctx_switches: number | null;
      /** Hardware interrupts since boot */ interrupts: number | null;
      /** Soft interrupts since boot */ soft_interrupts: number | null;
      /** System calls; null on Linux since boot */ syscalls: number | null;
    };
    /** Temperature of the processor package (the hottest, if there are several), °C */ temperature: number | null;
    /** Time spent by all cores together */
    times: {
      /** Programs, except niced ones, seconds since boot */ user: number | null;
      /** The kernel, on behalf of programs, seconds since boot */ system: number | null;
      /** Idle, not counting waiting for disks, seconds since boot */ idle: number | null;
      /** Handling hardware interrupts, seconds since boot */ interrupt: number | null;
      /** Deferred procedure calls; Windows only, seconds since boot */ dpc: number | null;
    };
    /** Time spent by all cores together since the last reading */
    times_percent: {
      /** Programs, except niced ones, 0-100 */ user: number | null;
      /** The kernel, on behalf of programs, 0-100 */ system: number | null;
      /** Idle, not counting waiting for disks or time taken by other virtual machines, 0-100 */ idle: number | null;
      /** Handling hardware interrupts, 0-100 */ interrupt: number | null;
      /** Deferred procedure calls; Windows only, 0-100 */ dpc: number | null;
    };
    /** Share of time all cores were busy since the last reading, 0-100 */ usage: number | null;
    /** Core voltage, volts */ voltage: number | null;
  };
  /** Values of your own, from commands and files that the settings name */
  custom: {
    /** Sensors of custom.sensors in the settings, in their order */
    sensors: {
      /** Its id in the settings */ id: string;
      /** Its name in the settings */ name: string;
      /** Unit of the value; empty if it has none */ unit: string;
      /** What its text is taken for */ parse: 'number' | 'json' | 'text' | 'lines';
      /** The last value that could be read: a number, text, a list of lines, or whatever the JSON holds; null: none yet */
      value: unknown;
      /** When that value was read, Unix seconds */ at: number | null;
      /** Why the latest attempt failed; null: it did not */ error: string | null;
    }[];
  };
  /** Disks and their health, RAID and pools, the file systems on them, how full those are, and how much was read and written */
  disks: {
    /** Physical disks, then volumes that span several disks, then network file systems */
    devices: {
      /** Disk, such as nvme0n1, or what a network file system is mounted from */ name: string;
      /** Its mounted file systems, by mount point */
      partitions: {
        /** Device, server or pool that is mounted, such as /dev/nvme0n1p2 or nas:/volume1 */ device: string;
        /** Where it is mounted */ mount_point: string;
        /** Type of the file system, such as ext4 */ filesystem_type: string;
        /** Mount options, separated by commas */ options: string;
        /** primary: the file system itself; bind: the same one mounted in a second place; squashfs: the image of a package */
        category: 'primary' | 'bind' | 'squashfs';
        /** How full it is */
        usage: {
          /** Size, bytes */ total: number;
          /** In use, bytes */ used: number;
          /** Space available to ordinary users, bytes */ free: number;
          /** Share in use of the space ordinary users can have, 0-100 */ percent: number;
        } | null;
        /** Largest file it can hold; 0 when unknown, bytes */ max_file_size: number;
        /** Longest path, bytes; 0 when unknown */ max_path_length: number;
      }[];
      /** Activity of the disk */
      io_counters: {
        /** Reads completed since boot */ read_count: number;
        /** Writes completed since boot */ write_count: number;
        /** Read since boot, bytes */ read_bytes: number;
        /** Written since boot, bytes */ write_bytes: number;
        /** Time spent on reads since boot, milliseconds */ read_time: number;
        /** Time spent on writes since boot, milliseconds */ write_time: number;
      } | null;
      /** Temperature, °C */ temperature: number | null;
      /** Health as the drive reports it (SMART) */
      health: {
        /** Whether the drive reports itself healthy; false: it expects to fail */ passed: boolean | null;
        /** Share of its rated endurance used, percent; can exceed 100 */ percentage_used: number | null;
        /** Hours it has been powered on, in total */ power_on_hours: number | null;
        /** Temperature when it was asked, °C */ temperature: number | null;
        /** Sectors that were replaced by spare ones */ reallocated: number | null;
        /** Sectors that cannot be read and wait to be replaced */ pending: number | null;
        /** Times data could not be recovered */ media_errors: number | null;
        /** What it warns of: spare, temperature, reliability, read_only, volatile_memory, persistent_memory (NVMe), or the attributes that reached their threshold (ATA) */
        critical_warnings: string[];
        /** When the drive was asked, Unix seconds */ read_at: number;
      } | null;
    }[];
    /** RAID arrays, volume groups, pools, and file systems that count errors */
    arrays: {
      /** Array, volume group, pool or file system, such as md0 or tank */ name: string;
      /** What it is: RAID of the kernel, LVM, ZFS or btrfs */ kind: 'md' | 'lvm' | 'zfs' | 'btrfs';
      /** Layout of data on its drives, such as raid1 */ level: string | null;
      /** ok; degraded: it works without some of its drives; failed: data are missing; inactive: not in use */
      state: 'ok' | 'degraded' | 'failed' | 'inactive' | null;
      /** The system's own word for its state, such as clean or ONLINE */ reported: string | null;
      /** What is being done to it */
      activity: {
        /** resync, rebuild, check, repair, reshape, or what btrfs calls it */ action: string;
        /** How far it is, 0-100 */ percent: number | null;
      } | null;
      /** How many drives it lacks */ missing: number | null;
      /** What it is made of, where that is known */
      members: {
        /** Disk or partition, such as sda1 */ name: string;
        /** What it is to the array */ state: 'active' | 'spare' | 'rebuilding' | 'failed' | 'missing';
        /** Errors it has made so far */ errors: number | null;
      }[];
      /** Logical volumes of a volume group */ volumes: string[];
    }[];
    /** Activity of all physical disks together */
    io_counters: {
      /** Reads completed since boot */ read_count: number;
      /** Writes completed since boot */ write_count: number;
      /** Read since boot, bytes */ read_bytes: number;
      /** Written since boot, bytes */ write_bytes: number;
      /** Time spent on reads since boot, milliseconds */ read_time: number;
      /** Time spent on writes since boot, milliseconds */ write_time: number;
    } | null;
  };
  /** Connected displays: resolution, position, size, refresh rate, brightness, input, and whether they are on */
  displays: {
    /** Display identifier */ id: string;
    /** Display name */ name: string;
    /** Horizontal resolution, pixels; 0 when unknown */ resolution_horizontal: number;
    /** Vertical resolution, pixels; 0 when unknown */ resolution_vertical: number;
    /** X position in the virtual desktop, pixels */ x: number;
    /** Y position in the virtual desktop, pixels */ y: number;
    /** Physical width, millimetres */ width: number | null;
    /** Physical height, millimetres */ height: number | null;
    /** Whether this is the primary display */ is_primary: boolean | null;
    /** Pixel clock, MHz */ pixel_clock: number | null;
    /** Refresh rate, Hz */ refresh_rate: number | null;
    /** Brightness, 0-100; null where it cannot be read */ brightness: number | null;
    /** Contrast of a monitor, 0-100; null where it does not report it; Linux only */ contrast: number | null;
    /** Input a monitor shows, such as HDMI-1 or DisplayPort-1; null where it does not report it; Linux only */
    input_source: string | null;
    /** Inputs of a monitor, as far as it lists them; null if it does not; Linux only */ inputs: string[] | null;
    /** Whether it is on, or off to save power; null where that is not known; Linux only */ power: 'on' | 'off' | null;
  }[];
  /** Graphics processors: clocks, load, memory, power, temperature, and the processes that use them */
  gpus: {
    /** Location of the GPU, such as its PCI address; stable across restarts */ id: string;
    /** Vendor and model */ name: string;
    /** GPU clock, MHz */ core_clock: number | null;
    /** Share of time the GPU was busy; where the driver keeps no total, that of its busiest engine, counting the programs this user may inspect, 0-100 */
    core_load: number | null;
    /** Memory clock, MHz */ memory_clock: number | null;
    /** Share of time the memory was read or written, 0-100 */ memory_load: number | null;
    /** Dedicated memory that is free, MiB */ memory_free: number | null;
    /** Dedicated memory in use, MiB */ memory_used: number | null;
    /** Dedicated memory; null where the GPU uses system memory, MiB */ memory_total: number | null;
    /** Power draw, watts */ power_usage: number | null;
    /** Temperature, °C */ temperature: number | null;
    /** Processes that use the GPU, as far as its driver reports them and this user may inspect them; the busiest first */
    processes?: {
      /** Process ID */ pid: number;
      /** Name of the program */ name: string | null;
      /** Share of time its busiest kind of engine worked for this process, 0-100 */ load: number | null;
      /** Memory of the GPU that it uses; system memory where the GPU has none of its own, MiB */ memory: number | null;
    }[] | null | undefined;
    /** Always null; the module sensors reports the fans */ fan_speed: null;
  }[];
  /** What the current media player is playing, and what it can do */
  media: {
    /** Title that is playing */ title: string | null;
    /** Artist */ artist: string | null;
    /** Title of the album */ album_title: string | null;
    /** Artist of the album */ album_artist: string | null;
    /** Subtitle */ subtitle: string | null;
    /** Kind of media, such as music or video */ type: string | null;
    /** Playback status */ status: 'PLAYING' | 'PAUSED' | 'STOPPED' | 'CHANGING' | null;
    /** Position at updated_at, seconds */ position: number | null;
    /** Length, seconds */ duration: number | null;
    /** Speed; 1 is normal */ playback_rate: number | null;
    /** Volume of the player, 0-100 */ volume: number | null;
    /** Whether shuffle is on */ shuffle: boolean | null;
    /** Repeat mode */ repeat: 'NONE' | 'TRACK' | 'LIST' | null;
    /** Number of the track on its album */ track_number: number | null;
    /** Whether it can play */ is_play_enabled: boolean | null;
    /** Whether it can pause */ is_pause_enabled: boolean | null;
    /** Whether it can stop */ is_stop_enabled: boolean | null;
    /** Whether it can go to the next title */ is_next_enabled: boolean | null;
    /** Whether it can go to the previous title */ is_previous_enabled: boolean | null;
    /** Whether it can go forward */ is_fast_forward_enabled: boolean | null;
    /** Whether it can go back */ is_rewind_enabled: boolean | null;
    /** Artwork: a data URL of at most 64 KiB, or an http(s) address without credentials */ thumbnail: string | null;
    /** Time of this reading, Unix seconds */ updated_at: number | null;
    /** All players, the current one first */
    players: {
      /** Name of the player, to use with MEDIA_CONTROL */ name: string;
      /** Display name of the player */ identity: string;
      /** Whether the other fields describe this player */ is_current: boolean;
      /** Playback status */ status: 'PLAYING' | 'PAUSED' | 'STOPPED' | 'CHANGING' | null;
      /** Title it is playing */ title: string | null;
      /** Artist it is playing */ artist: string | null;
      /** Its artwork, as in the field thumbnail, which has that of the current player; omitted if it has none */
      thumbnail?: string | undefined;
    }[];
  };
  /** Physical memory and swap space */
  memory: {
    /** Physical memory */
    virtual: {
      /** Physical memory, bytes */ total: number | null;
      /** Available to programs without swapping, bytes */ available: number | null;
      /** Share that is not available, 0-100 */ percent: number | null;
      /** Total minus available, bytes */ used: number | null;
      /** Not used for anything, not even as cache, bytes */ free: number | null;
      /** Used recently, bytes */ active: number | null;
      /** Not used recently, bytes */ inactive: number | null;
      /** Cache of raw block devices, bytes */ buffers: number | null;
      /** File cache, including reclaimable kernel memory and the ZFS cache, bytes */ cached: number | null;
      /** Never swapped out; macOS only, bytes */ wired: number | null;
      /** Shared memory and temporary file systems, bytes */ shared: number | null;
    };
    /** Swap space */
    swap: {
      /** Swap space, bytes */ total: number | null;
      /** Swap space in use, bytes */ used: number | null;
      /** Swap space not in use, bytes */ free: number | null;
      /** Share of the swap space in use, 0-100 */ percent: number | null;
      /** Read back from swap since boot, bytes */ sin: number | null;
      /** Written to swap since boot, bytes */ sout: number | null;
    };
  };
  /** Network interfaces with their addresses and traffic, and the connections of all processes */
  networks: {
    /** Network interfaces */
    networks: {
      /** Name of the interface */ name: string;
      /** Its addresses: IPv4, IPv6 and MAC */
      addresses: {
        /** The address; a link-local IPv6 address includes its interface, as in fe80::1%eth0 */ address: string;
        /** Kind of address */ family: 'IPv4' | 'IPv6' | 'MAC';
        /** Netmask, such as 255.255.255.0 or ffff:ffff:ffff:ffff:: */ netmask: string | null;
        /** Broadcast address */ broadcast: string | null;
        /** Peer address of a point-to-point connection */ ptp: string | null;
      }[];
      /** State of the interface */
      stats: {
        /** Whether it is up and has a link */ isup: boolean | null;
        /** "full" or "half"; empty when unknown */ duplex: string;
        /** Link speed, Mbit/s */ speed: number | null;
        /** Largest packet (MTU), bytes */ mtu: number | null;
        /** Its flags, such as up, broadcast, running, multicast */ flags: string[];
      };
      /** Traffic of this interface */
      io: {
        /** Bytes sent since the interfaces came up */ bytes_sent: number;
        /** Bytes received since the interfaces came up */ bytes_recv: number;
      } | null;
      /** Whether this card may wake the machine from sleep; only physical interfaces have this field. Its hardware address is the one to call */
      wake_on_lan?: boolean | null | undefined;
      /** What wakes the machine through this card; only physical interfaces have this field */
      wake_modes?: {
        /** What the card can be set to */
        supported: ('phy' | 'unicast' | 'multicast' | 'broadcast' | 'arp' | 'magic' | 'magic_secure' | 'filter')[];
        /** What wakes the machine now; magic is the usual wake-on-LAN packet */
        active: ('phy' | 'unicast' | 'multicast' | 'broadcast' | 'arp' | 'magic' | 'magic_secure' | 'filter')[];
      } | null | undefined;
      /** Kind of a virtual interface as the kernel calls it, such as bridge, veth, vlan, wireguard or tun; physical ones do not have this field; Linux only */
      kind?: string | undefined;
      /** Wireless network it is connected to, or offers; only wireless interfaces have this field */
      wifi?: {
        /** Name of the wireless network */ ssid: string | null;
        /** Strength of the signal, dBm: -50 is strong, -80 is weak */ signal: number | null;
        /** The same in percent: -50 dBm and better is 100, -100 dBm is 0 */ signal_percent: number | null;
        /** Frequency, MHz */ frequency: number | null;
        /** Band of that frequency */ band: '2.4 GHz' | '5 GHz' | '6 GHz' | '60 GHz' | null;
        /** Channel in that band */ channel: number | null;
        /** How the network is secured, as its access point announces it: personal means a passphrase, enterprise a sign-in; owe is encrypted without either */
        security: 'open' | 'owe' | 'wep' | 'wpa-personal' | 'wpa-enterprise' | 'wpa2-personal' | 'wpa2-enterprise' | 'wpa2-wpa3-personal' | 'wpa3-personal' | 'wpa3-enterprise' | 'other' | null;
        /** Rate at which it sends, Mbit/s */ rate: number | null;
        /** Rate at which it receives, Mbit/s */ receive_rate: number | null;
      } | null | undefined;
    }[];
    /** TCP and UDP sockets */
    connections: {
      /** Descriptor of the socket in that process */ fd: number | null;
      /** Number of the address family: 2 is IPv4, 10 is IPv6 */ family: number;
      /** Number of the socket type: 1 is a stream (TCP), 2 is datagrams (UDP) */ type: number;
      /** Local address:port, IPv6 addresses in brackets */ laddr: string;
      /** Remote address:port, IPv6 addresses in brackets */ raddr: string | null;
      /** State of a TCP connection, such as ESTABLISHED or LISTEN; NONE for UDP */ status: string;
      /** Process that owns the socket */ pid: number | null;
    }[];
    /** VPN interfaces, up or down, and the VPN connections that NetworkManager has up; Linux only */
    vpns?: {
      /** What it is called: its interface, or its name in NetworkManager */ name: string;
      /** Kind of VPN; tun is any program that carries packets itself, such as OpenVPN or Tailscale; ppp may be a modem */
      kind: 'wireguard' | 'openvpn' | 'tun' | 'ppp' | 'ipsec' | 'other';
      /** Interface it goes through */ interface: string | null;
      /** Whether it is up; for WireGuard this is the interface, which does not know whether the other side answers */
      up: boolean;
      /** Source of the information */ source: 'kernel' | 'networkmanager';
    }[] | undefined;
    /** Traffic of all interfaces together, loopback included */
    io: {
      /** Bytes sent since the interfaces came up */ bytes_sent: number;
      /** Bytes received since the interfaces came up */ bytes_recv: number;
      /** Packets sent since the interfaces came up */ packets_sent: number;
      /** Packets received since the interfaces came up */ packets_recv: number;
      /** Errors while receiving since the interfaces came up */ errin: number;
      /** Errors while sending since the interfaces came up */ errout: number;
      /** Incoming packets that were dropped since the interfaces came up */ dropin: number;
      /** Outgoing packets that were dropped since the interfaces came up */ dropout: number;
    } | null;
  };
  /** Every running process, with its program, user, CPU and memory usage */
  processes: {
    /** Process ID */ id: number;
    /** ID of the process that started it, or took it over; 0: none */ parent_id: number;
    /** Process name */ name: string;
    /** CPU time used since the last reading, percent; 100 is one core */ cpu_usage: number;
    /** Resident share of the physical memory, 0-100 */ memory_usage: number | null;
    /** When the process was started, Unix seconds */ created: number | null;
    /** When it was started, as the kernel counts: clock ticks since boot on Linux, microseconds since 1970 on Windows. Together with the ID it identifies the process exactly */
    start_time: number;
    /** Program file */ path: string | null;
    /** State of the process: running, sleeping, disk-sleep, stopped, tracing-stop, zombie, dead, wake-kill, waking, idle, parked or unknown */
    status: string;
    /** Owner: the user name, or the user ID if it has no name */ username: string | null;
    /** Working directory */ working_directory: string | null;
  }[];
  /** The permission prompt that waits for an answer, for users with the scope admin */
  prompts: {
    /** The open permission prompt, or an empty list; null: needs the scope admin */
    prompts: {
      /** Id for prompts.answer; no other prompt has it */ id: string;
      /** Who asks for what */ title: string;
      /** What will happen if it is allowed, complete, in several lines */ text: string;
      /** The possible answers */
      answers: {
        answer: 'allow' | 'less' | 'deny';
        /** What its button says */ label: string;
      }[];
      /** Whether it can be allowed on the machine itself only, because it creates lasting access */ on_machine: boolean;
      /** When it was opened, in Unix seconds */ opened: number;
    }[] | null;
  };
  /** Temperatures and fans of the whole machine */
  sensors: {
    /** Every temperature that can be read */
    temperatures: {
      /** Chip, device and sensor, such as nvme_0000:01:00.0_composite; stable across restarts */ key: string;
      /** Current temperature, °C */ temperature: number;
      /** Temperature above which it is too warm, °C; 0: unknown */ high: number;
      /** Temperature above which it shuts down or takes damage, °C; 0: unknown */ critical: number;
    }[];
    /** Every fan and pump that reports a speed */
    fans: {
      /** Chip, device and fan; stable across restarts */ key: string;
      /** Chip or controller the fan is connected to */ name: string;
      /** What the board or the controller calls the fan; empty when unknown */ label: string;
      /** Current speed, revolutions per minute */ speed_rpm: number | null;
      /** Speed below which the fan counts as failed, revolutions per minute */ speed_min: number | null;
      /** Highest speed, revolutions per minute */ speed_max: number | null;
    }[];
    /** Tree of hardware and sensors; Windows only */
    windows_sensors: {
      /** Hardware with its sensors */ hardware: unknown[];
      /** Data of the NVIDIA driver */ nvidia: unknown;
    } | null;
  };
  /** Services of the machine and of the user: state, memory, CPU time, restarts; failed ones first */
  services: {
    /** What starts and watches the services of this machine */ manager: 'systemd' | 'openrc' | 'windows' | null;
    /** State of the manager of the machine: running, degraded (something failed), starting, stopping … */
    state: string | null;
    /** The same of the manager of the user whose service this is */ user_state: string | null;
    /** How many there are, those included that the list leaves out */
    counts: {
      /** Units that run, or did what they are for */ active: number;
      /** Units that do not run */ inactive: number;
      /** Units that failed */ failed: number;
      /** Units that are being started, stopped or reloaded */ changing: number;
    };
    /** Whether the list leaves some out, because there are too many */ truncated: boolean;
    /** All services, and other units that failed; failed ones first, then by name */
    units: {
      /** Name of the unit, such as nginx.service; on Windows that of the service, such as Spooler */ name: string;
      /** Whose unit it is: of the machine (system), or of the user whose service this is (user) */ scope: 'system' | 'user';
      /** Description of the unit */ description: string;
      /** Whether services.allowlist in the settings names it, so that it can be started and stopped */ allowed: boolean;
      /** loaded, masked, not-found, bad-setting, error; unloaded: it is installed and has not been used */
      load_state: string;
      /** active, reloading, inactive, failed, activating, deactivating, maintenance or refreshing */ active_state: string;
      /** The same in more detail, as the kind of unit has it: running, exited, dead … */ sub_state: string;
      /** Since when it is in this state, Unix seconds */ since: number | null;
      /** ID of its main process */ main_pid: number | null;
      /** Memory of all its processes together, with what they have in the cache, bytes */ memory: number | null;
      /** CPU time of all its processes since it was started, seconds */ cpu_time: number | null;
      /** How often it was restarted because it had ended */ restarts: number | null;
      /** Whether it is started with the machine: enabled, disabled, static, masked, indirect, generated …; on Windows enabled, manual or disabled */
      enabled: string | null;
    }[];
  };
  /** Who uses the desktop and how: idle, locked, active window, do not disturb, power profile */
  session: {
    /** Login name of the user */ user: string | null;
    /** Seat of the session, such as seat0; on Windows its station, such as Console */ seat: string | null;
    /** Kind of session: x11, wayland, tty, windows, or none where no user is logged in */
    type: 'x11' | 'wayland' | 'tty' | 'windows' | 'none';
    /** Desktop environment, such as GNOME, KDE or sway */ desktop: string | null;
    /** Whether keyboard and pointer have been unused for a while (setting session.idleAfter) */ idle: boolean | null;
    /** Time of the last input while the session is idle, Unix seconds */ idle_since: number | null;
    /** Whether the screen is locked */ locked: boolean | null;
    /** The window that has the focus; only for callers with the scope screen */
    active_window: {
      /** Title of the window, at most 256 characters, without control characters */ title: string;
      /** Name of its application, as the application calls itself */ app: string | null;
      /** Process of the window, as the application reports it */ pid: number | null;
      /** Whether the window covers the whole screen */ fullscreen: boolean;
    } | null;
    /** Whether notifications are silenced */ do_not_disturb: boolean | null;
    /** Whether the colours of the screen are warmer now */ night_light: boolean | null;
    /** Active power profile: power-saver, balanced or performance */ power_profile: string | null;
    /** Power profiles to choose from, for power.profile; empty: it cannot be set */ power_profiles: string[];
    /** Requests to Hostler that keep the machine awake (power.inhibit), the oldest first */
    keep_awake: {
      /** For power.uninhibit */ id: string;
      /** Why, as the caller wrote it */ reason: string;
      /** Name of the token that asked for it */ token: string;
      /** When it began, Unix seconds */ since: number;
      /** When it ends, Unix seconds */ until: number;
    }[];
    /** Whether the lid is closed */ lid_closed: boolean | null;
    /** Whether the machine runs on battery */ on_battery: boolean | null;
    /** The virtual desktop or workspace in front */
    virtual_desktop: {
      /** Number of the desktop in front, from 1 */ number: number;
      /** Its name */ name: string | null;
      /** Number of desktops */ count: number;
    } | null;
  };
  /** The machine itself: names, addresses, users, versions, power draw and which programs use the camera and microphone */
  system: {
    /** Machine hostname */ hostname: string | null;
    /** Fully qualified domain name, or the hostname where none is configured */ fqdn: string | null;
    /** Operating system, such as "Debian GNU/Linux" */ platform: string | null;
    /** Version of the operating system; empty when unknown */ platform_version: string;
    /** Kernel release */ kernel_version: string | null;
    /** When the machine started, Unix seconds */ boot_time: number | null;
    /** Time since the machine started, seconds */ uptime: number | null;
    /** IPv4 address of the interface with the default route; empty when unknown */ ip_address_4: string;
    /** IPv6 address of the interface with the default route; empty when unknown */ ip_address_6: string;
    /** Hardware address of the interface with the default route, as aa:bb:cc:dd:ee:ff; empty when unknown */
    mac_address: string;
    /** Stable identifier of the machine */ uuid: string | null;
    /** Logged-in users, one entry per session */
    users: {
      /** Login name */ name: string;
      /** Whether the session is in the foreground */ active: boolean;
      /** Terminal or display of the session; empty when unknown */ terminal: string;
      /** Host the user logged in from; empty for a local session; empty when unknown */ host: string;
      /** Time of the login, Unix seconds; 0 when unknown */ started: number;
      /** Leading process of the session; 0 when unknown */ pid: number;
    }[];
    /** Installed version of this service */ version: string | null;
    /** Latest available version of this service */ version_latest: string | null;
    /** Web page of the latest release */ version_latest_url: string | null;
    /** Whether the latest version is newer than the installed one */ version_newer_available: boolean | null;
    /** Programs using a camera */ camera_usage: string[];
    /** Programs recording from a microphone */ microphone_usage: string[];
    /** Whether a restart would complete an update */ pending_reboot: boolean | null;
    /** Power draw of the whole machine, watts */ power_usage: number | null;
    /** How the service is running */ run_mode: 'standalone';
    /** Make and model of the machine */
    device_info: {
      /** Manufacturer of the machine */ manufacturer: string | null;
      /** Model of the machine */ model: string | null;
      /** Version or marketing name of the model */ version: string | null;
      /** Manufacturer of the main board */ board_vendor: string | null;
      /** Model of the main board */ board_name: string | null;
      /** Vendor of the firmware */ bios_vendor: string | null;
      /** Version of the firmware */ bios_version: string | null;
      /** Type of chassis, such as "Laptop" */ chassis_type: string | null;
    };
  };
  /** Packages that have an update, and whether a restart is needed */
  updates: {
    /** Packages of all managers that have an update */ updates: number | null;
    /** How many of them are for security, as far as the managers report it */ security_updates: number | null;
    /** Package managers of this machine */
    managers: {
      /** The package manager; fwupd manages firmware */
      name: 'apt' | 'flatpak' | 'fwupd' | 'packagekit' | 'pacman' | 'snap' | 'windows-update';
      /** Packages of this manager that have an update; those held back by the user are left out */ updates: number | null;
      /** How many of them are for security */ security_updates: number | null;
      /** When the manager last refreshed its lists, Unix seconds; Hostler never does */ checked_at: number | null;
      /** The first 250 of them, those for security before the others */
      packages: {
        /** With its architecture where that is not the one of the machine */ name: string;
        /** Version that is installed; empty if the manager does not report it */ current: string;
        /** Version that would be installed */ candidate: string;
        /** Whether it is for security */ security: boolean | null;
      }[];
      /** Where the updates come from */
      origins: {
        /** Archive, repository or remote, such as Debian:bookworm/stable */ origin: string;
        /** Architecture of the packages; empty if the manager does not report it */ architecture: string;
        /** Packages from there that have an update */ updates: number;
      }[];
    }[];
    /** Packages that were installed, upgraded or removed in the last seven days, newest first, at most 250 */
    changes: {
      /** When, Unix seconds */ at: number;
      /** The package manager */ manager: 'apt' | 'pacman';
      /** With its architecture where the log names one */ name: string;
      /** Version before; empty: it was not installed */ from: string;
      /** Version afterwards; empty: it was removed */ to: string;
    }[] | null;
    reboot: {
      /** Whether a restart is needed to use what was installed */ required: boolean | null;
      /** Why, as sentences */ reasons: string[];
    };
  };
}

/** What reads take as well. */
export interface Selection {
  /** A field, with dots for one inside others; with - in front, the highest first. The innermost list on the way to it is sorted. */
  sort?: string | undefined;
  /** At most so many entries of every list, after sorting. */
  limit?: number | undefined;
}

/** Milliseconds between two updates of the modules that change all the time. */
export const moduleIntervals = {
  containers: 2000,
  cpu: 1000,
  custom: 5000,
  disks: 10000,
  gpus: 1000,
  memory: 1000,
  networks: 2000,
  processes: 2000,
  sensors: 2000,
  services: 5000,
} as const;

/** What each event takes, and what its response contains. */
export interface ActionRequests {
  /** Returns the state of the alerts, as the module alerts does */
  GET_ALERTS: {
    data: Selection;
    result: ModulePayloads['alerts'];
  };
  /** Sends a test message to every recipient of the rule of an alert, or to one target, and returns whether it worked */
  TEST_ALERT: {
    data: {
      /** Id of the rule, or of a target */ id: string;
    };
    result: {
      /** Id of the rule */ id: string;
      /** What became of it, one for each way the rule names */
      results: {
        /** screen, mqtt, or the id of a webhook or target */ way: string;
        /** Whether it worked */ ok: boolean;
        /** What went wrong; null: nothing */ error: string | null;
        /** What a target answered, without secrets; empty: nothing, or not a target */ answer: string;
      }[];
    };
  };
  /** Returns the services that receive alerts, without the secret parts of their URLs */
  GET_ALERT_TARGETS: {
    data: Selection;
    result: {
      /** Whether the caller is on the machine itself, and may add and remove targets */ changeable: boolean;
      /** The targets of the settings, in their order */
      targets: {
        /** Name by which rules refer to it */ id: string;
        /** Scheme and server of its URL; null: it has none yet */ url: string | null;
        /** Ids of the rules that name it */ rules: string[];
      }[];
    };
  };
  /** Adds a service that receives alerts, or replaces its URL; only on the machine itself */
  ADD_ALERT_TARGET: {
    data: {
      /** Name by which rules refer to it */ id: string;
      /** URL of the service, such as ntfys://ntfy.sh/TOPIC. It is not shown again */ url: string;
    };
    result: {
      /** Name by which rules refer to it */ id: string;
      /** Scheme and server of its URL; the rest is secret */ url: string;
    };
  };
  /** Removes a service that receives alerts, and its URL; only on the machine itself */
  REMOVE_ALERT_TARGET: {
    data: {
      /** Name by which rules refer to it */ id: string;
    };
    result: {
      /** Name by which rules refer to it */ id: string;
    };
  };
  /** Stops the service */
  EXIT_APPLICATION: {
    data: object;
    result: null;
  };
  /** Sets the volume and mute state of outputs, inputs and programs, and the default devices; what unmutes an input needs the scope control as well */
  AUDIO_CONTROL: {
    data: {
      /** VOLUME (value: 0-150), VOLUME_UP, VOLUME_DOWN (value: percent, default 5), MUTE (value: boolean; toggles without one), DEFAULT (makes device the default) or MOVE (moves stream to device) */
      action: string;
      /** Value for the action; see action */ value?: number | boolean | null | undefined;
      /** id of an output or input, as listed by the module audio; the default output if omitted */
      device?: string | null | undefined;
      /** source or recording for an input or a recording stream; an output or a playback stream if omitted */
      kind?: 'sink' | 'source' | 'playback' | 'recording' | null | undefined;
      /** id of the stream of a program, as listed by the module audio, instead of a device */
      stream?: number | null | undefined;
    };
    result: {
      /** What was done */ action: string;
      /** id of the output or input that was changed, or that the stream uses */ device: string;
      /** id of the stream that was changed; null: the device was changed */ stream: number | null;
      /** New volume, percent; null: it has none */ volume: number | null;
      /** Whether it is muted now */ is_muted: boolean;
    };
  };
  /** Connects a paired Bluetooth device */
  BLUETOOTH_CONNECT: {
    data: {
      /** Address of a paired device, such as AA:BB:CC:DD:EE:FF, or its name as the module bluetooth lists it */
      device: string;
      /** id of the adapter, where several know the device */ adapter?: string | null | undefined;
    };
    result: {
      /** Address of the device */ address: string;
      /** Its name */ name: string;
      /** id of the adapter */ adapter: string;
      /** Whether it is connected now */ connected: boolean;
      /** false: it is taking longer, and goes on */ done: boolean;
    };
  };
  /** Disconnects a Bluetooth device, which stays paired */
  BLUETOOTH_DISCONNECT: {
    data: ActionRequests['BLUETOOTH_CONNECT']['data'];
    result: ActionRequests['BLUETOOTH_CONNECT']['result'];
  };
  /** Switches Bluetooth on or off */
  BLUETOOTH_POWER: {
    data: {
      /** id of an adapter, such as hci0; all of them if omitted */ adapter?: string | null | undefined;
      /** true switches Bluetooth on, false off, which disconnects everything */ on: boolean;
    };
    result: {
      /** What was switched */
      adapters: {
        id: string;
        /** Whether it is on now */ powered: boolean;
      }[];
    };
  };
  /** Mutes, deafens, joins and leaves calls and changes voice settings in the voice-chat application */
  CHAT_CONTROL: {
    data: {
      /** What to do */
      action: 'JOIN_VOICE_CHANNEL' | 'LEAVE_VOICE_CHANNEL' | 'OPEN_TEXT_CHANNEL' | 'MUTE' | 'UNMUTE' | 'TOGGLE_MUTE' | 'DEAFEN' | 'UNDEAFEN' | 'TOGGLE_DEAFEN' | 'SET_INPUT_VOLUME' | 'SET_OUTPUT_VOLUME' | 'SET_INPUT_DEVICE' | 'SET_OUTPUT_DEVICE' | 'SET_VOICE_MODE' | 'SET_VOICE_THRESHOLD' | 'SET_PUSH_TO_TALK_DELAY' | 'ENABLE_QOS' | 'DISABLE_QOS' | 'TOGGLE_QOS' | 'ENABLE_SILENCE_WARNING' | 'DISABLE_SILENCE_WARNING' | 'TOGGLE_SILENCE_WARNING' | 'SET_USER_VOLUME' | 'MUTE_USER' | 'UNMUTE_USER';
      /** For JOIN_VOICE_CHANNEL and OPEN_TEXT_CHANNEL */ channel_id?: string | null | undefined;
      /** Input volume 0-100; output and user volume 0-200; threshold -100 to 0 dB; delay 0-2000 ms */
      value?: number | null | undefined;
      /** A device listed by the module chat */ device_id?: string | null | undefined;
      /** VOICE_ACTIVITY or PUSH_TO_TALK */ mode?: string | null | undefined;
      /** For SET_USER_VOLUME, MUTE_USER and UNMUTE_USER */ user_id?: string | null | undefined;
    };
    result: {
      /** What was done */ action: string;
      /** Whether the user is muted now */ mute: boolean;
      /** Whether the user is deafened now */ deaf: boolean;
      /** The voice channel the user is in now; null: none */ channel_id: string | null;
    };
  };
  /** Reads the text or the picture on the clipboard; never one that a password manager has marked */
  GET_CLIPBOARD: {
    data: {
      /** What is wanted; left out: text, or the picture where there is no text */ format?: 'text' | 'png' | null | undefined;
    } & Selection;
    result: {
      /** What was found */ format: 'text' | 'png';
      /** The text, at most 1 MiB as UTF-8; null where it is a picture */ text: string | null;
      /** The picture as PNG in base64, at most 8 MiB before that; null where it is text */ png: string | null;
      /** Size of it on the clipboard, bytes */ size: number;
    };
  };
  /** Puts a text or a picture onto the clipboard, where it stays until something else is copied or the service ends */
  CLIPBOARD_SET: {
    data: {
      /** The text, at most 1 MiB as UTF-8 */ text?: string | null | undefined;
      /** A picture as PNG in base64, at most 8 MiB before that */ png?: string | null | undefined;
    };
    result: {
      /** What was put onto the clipboard */ format: 'text' | 'png';
      /** Its size, bytes */ size: number;
    };
  };
  /** Runs a program that the settings allow, and returns its output */
  COMMAND_EXECUTE: {
    data: {
      /** id of an entry of commands.allowlist in the settings */ commandID: string;
      /** Send its output while it runs, as COMMAND_OUTPUT messages */ stream?: boolean | null | undefined;
    };
    result: {
      commandID: string;
      /** Exit code of the program; -1 if it was terminated or could not be started */ exitCode: number;
      /** The first MiB of its standard output */ stdout: string;
      /** The first MiB of its standard error */ stderr: string;
      /** Why there is no exit code */ error?: string | undefined;
    };
  };
  /** Starts an allow-listed container */
  CONTAINER_START: {
    data: {
      /** Exact name of the container */ name: string;
      /** id of its engine, as the module containers has it; needed where two engines have a container of this name */
      engine?: string | undefined;
    };
    result: {
      name: string;
      /** ID of the container that it was done to */ id: string;
      /** id of its engine */ engine: string;
      /** State of the container, as the engine reports it */ state: string;
      /** false: it was so already */ changed: boolean;
    };
  };
  /** Stops an allow-listed container; it has the time to end that it was made with, 10 s as a rule */
  CONTAINER_STOP: {
    data: {
      /** Exact name of the container */ name: string;
      /** id of its engine, as the module containers has it; needed where two engines have a container of this name */
      engine?: string | undefined;
    };
    result: ActionRequests['CONTAINER_START']['result'];
  };
  /** Restarts an allow-listed container */
  CONTAINER_RESTART: {
    data: {
      /** Exact name of the container */ name: string;
      /** id of its engine, as the module containers has it; needed where two engines have a container of this name */
      engine?: string | undefined;
    };
    result: ActionRequests['CONTAINER_START']['result'];
  };
  /** Pauses an allow-listed container: its processes stand still until it is resumed */
  CONTAINER_PAUSE: {
    data: {
      /** Exact name of the container */ name: string;
      /** id of its engine, as the module containers has it; needed where two engines have a container of this name */
      engine?: string | undefined;
    };
    result: ActionRequests['CONTAINER_START']['result'];
  };
  /** Resumes a paused, allow-listed container */
  CONTAINER_RESUME: {
    data: {
      /** Exact name of the container */ name: string;
      /** id of its engine, as the module containers has it; needed where two engines have a container of this name */
      engine?: string | undefined;
    };
    result: ActionRequests['CONTAINER_START']['result'];
  };
  /** Shows the last lines that a container wrote */
  GET_CONTAINER_LOGS: {
    data: {
      /** Exact name of the container */ name: string;
      /** id of its engine, as the module containers has it; needed where two engines have a container of this name */
      engine?: string | undefined;
      /** How many of the last lines, at most 500; 100 unless given */ lines?: number | undefined;
    } & Selection;
    result: {
      name: string;
      id: string;
      engine: string;
      /** The oldest first */
      lines: {
        /** When it was written, ISO 8601; empty: the engine does not report it */ time: string;
        /** A container with a terminal has stdout only */ stream: 'stdout' | 'stderr';
        /** At most 4096 characters */ text: string;
      }[];
      /** Whether something was left out: the output is larger than what is read of it, or a line is too long */
      truncated: boolean;
    };
  };
  /** Pauses control of this machine: actions are refused and reading goes on */
  CONTROL_PAUSE: {
    data: {
      /** How long, up to 30 days (2592000); left out: until it is resumed */ seconds?: number | null | undefined;
    };
    result: {
      /** Whether control is paused: actions are refused, reading goes on */ paused: boolean;
      /** When it was paused, ISO 8601 in UTC; null: it is not paused */ since: string | null;
      /** When the pause ends, ISO 8601 in UTC; null: it is not paused, or until it is resumed */ until: string | null;
      /** Name of the token it was paused with; null: it is not paused */ by: string | null;
    };
  };
  /** Ends the pause of control */
  CONTROL_RESUME: {
    data: object;
    result: ActionRequests['CONTROL_PAUSE']['result'];
  };
  /** Returns whether control is paused */
  GET_CONTROL: {
    data: Selection;
    result: ActionRequests['CONTROL_PAUSE']['result'];
  };
  /** Opens an address, or a file in a known directory, with the program the user prefers for it */
  OPEN: {
    data: {
      /** What to open in a known directory: a directory, picture, sound, video, PDF, text or office document; absolute, or with ~/ for the home */
      path?: string | null | undefined;
      /** Address to open: http, https, or mailto without attachments */ url?: string | null | undefined;
    };
    result: {
      /** What was opened, if it was a path */ path: string | null;
      /** What was opened, if it was an address */ url: string | null;
    };
  };
  /** Lists all mounts, including those the module disks leaves out */
  GET_DISK_MOUNTS: {
    data: Selection;
    result: {
      /** Mounts that the module disks always includes */
      primary: {
        /** Device, server or pool that is mounted */ device: string;
        /** Where it is mounted */ mount_point: string;
        /** Type of the file system, such as ext4 */ filesystem_type: string;
        category: 'primary' | 'bind' | 'squashfs';
        /** How full it is, in bytes and percent; null when unknown */
        usage: {
          total: number;
          used: number;
          free: number;
          percent: number;
        } | null;
      }[];
      /** Mounts it includes only if disks.allowedSecondaryMountPoints names them; here all of them */
      secondary: {
        bind: {
          /** Device, server or pool that is mounted */ device: string;
          /** Where it is mounted */ mount_point: string;
          /** Type of the file system, such as ext4 */ filesystem_type: string;
          category: 'primary' | 'bind' | 'squashfs';
          /** How full it is, in bytes and percent; null when unknown */
          usage: {
            total: number;
            used: number;
            free: number;
            percent: number;
          } | null;
        }[];
        squashfs: {
          /** Device, server or pool that is mounted */ device: string;
          /** Where it is mounted */ mount_point: string;
          /** Type of the file system, such as ext4 */ filesystem_type: string;
          category: 'primary' | 'bind' | 'squashfs';
          /** How full it is, in bytes and percent; null when unknown */
          usage: {
            total: number;
            used: number;
            free: number;
            percent: number;
          } | null;
        }[];
      };
    };
  };
  /** Sets the brightness of one display, or of all that have one */
  DISPLAY_BRIGHTNESS: {
    data: {
      /** id of a display, as listed by the module displays; all of them if omitted */ display?: string | null | undefined;
      /** Brightness, 0-100; 0 is as dark as the display gets, which may be black, anything above is never black */
      percent: number;
    };
    result: {
      /** What was changed */
      displays: {
        /** Display that was changed */ id: string;
        /** Its brightness now, 0-100; some displays have a few steps only */ brightness: number;
      }[];
    };
  };
  /** Switches one display, or all, on or off */
  DISPLAY_POWER: {
    data: {
      /** id of a display, as listed by the module displays; all of them if omitted */ display?: string | null | undefined;
      /** true switches it on, false off, to save power; GNOME and X11 switch all displays together */ on: boolean;
    };
    result: {
      /** ids of the displays that were switched */ displays: string[];
      /** What they were switched to */ power: 'on' | 'off';
      /** Whether they were seen to obey */ confirmed: boolean;
    };
  };
  /** Sets the contrast of one monitor, or of all that let it be set over their cable (DDC/CI) */
  DISPLAY_CONTRAST: {
    data: {
      /** id of a display, as listed by the module displays; all of them if omitted */ display?: string | null | undefined;
      /** Contrast, 0-100 */ percent: number;
    };
    result: {
      /** What was changed */
      displays: {
        /** Monitor that was changed */ id: string;
        /** Its contrast now, 0-100 */ contrast: number;
      }[];
    };
  };
  /** Switches a monitor to another of its inputs over its cable (DDC/CI) */
  DISPLAY_INPUT: {
    data: {
      /** id of a monitor, as listed by the module displays; may be omitted where there is only one */
      display?: string | null | undefined;
      /** Input to show, as listed in inputs of the module displays, such as HDMI-1; Input-N by its number */ input: string;
    };
    result: {
      /** id of the monitor */ display: string;
      /** Input it was switched to */ input: string;
    };
  };
  /** Lists the directories whose files are served */
  GET_DIRECTORIES: {
    data: Selection;
    result: {
      /** Key to use in other requests */ key: string;
      /** Display name */ name: string;
      /** Absolute path */ path: string;
    }[];
  };
  /** Returns the path of a base directory */
  GET_DIRECTORY: {
    data: {
      /** Key of a base directory, such as music; files.directories lists them */ base: string;
    } & Selection;
    result: {
      /** Key to use in other requests */ key: string;
      /** Display name */ name: string;
      /** Absolute path */ path: string;
    };
  };
  /** Lists the contents of a directory */
  GET_FILES: {
    data: {
      /** Key of a base directory, such as music; files.directories lists them */ base: string;
      /** Directory inside the base; the base itself if omitted */ path?: string | null | undefined;
    } & Selection;
    result: {
      name: string;
      /** Absolute, below the path of the base */ path: string;
      /** Bytes */ size: number;
      isDirectory: boolean;
      /** Last change of its content, RFC 3339 in UTC */ modTime: string;
      /** As ls -l shows them, such as -rw-r--r-- */ permissions: string;
      /** Media type by the extension; absent when none is known */ contentType?: string | undefined;
      /** Including the dot; absent if the name has none */ extension?: string | undefined;
    }[];
  };
  /** Returns information about a file */
  GET_FILE: {
    data: {
      /** Key of the base directory; not needed with an absolute path inside any of them */ base?: string | null | undefined;
      /** File inside the base */ path: string;
    } & Selection;
    result: {
      name: string;
      /** Absolute, below the path of the base */ path: string;
      /** Bytes */ size: number;
      isDirectory: boolean;
      /** Last change of its content, RFC 3339 in UTC */ modTime: string;
      /** As ls -l shows them, such as -rw-r--r-- */ permissions: string;
      /** Media type by the extension; absent when none is known */ contentType?: string | undefined;
      /** Including the dot; absent if the name has none */ extension?: string | undefined;
      /** Last change of its content, Unix milliseconds */ modified: number;
      /** Media type by the extension; null when none is known */ mime_type: string | null;
    };
  };
  /** Checks whether a path is a directory, anywhere on the machine */
  VALIDATE_DIRECTORY: {
    data: {
      /** Absolute, or relative to the home of the user, with or without ~/ */ path: string;
    } & Selection;
    result: {
      /** Whether it is a directory the service can see */ valid: boolean;
    };
  };
  /** Returns values, the busiest processes and events of a period */
  GET_HISTORY: {
    data: {
      /** Names such as cpu, memory or network, as a list or separated by commas; cpu/* are all cores. Left out: everything about the machine as a whole */
      series?: string[] | string | undefined;
      /** Unix milliseconds, an ISO time, or HH:MM for the last time the clock of this machine said so */
      from?: number | string | undefined;
      /** The same; left out: now */ to?: number | string | undefined;
      /** How long before "to" it begins, where "from" is left out: seconds, or 15m, 1h, 7d. Left out: an hour */
      last?: number | string | undefined;
      /** Seconds between values; 300 at least for what is older than a day. Left out: about 300 values */
      step?: number | string | undefined;
    } & Selection;
    result: {
      /** When the first step begins, Unix milliseconds */ from: number;
      /** When the last step ends, Unix milliseconds */ to: number;
      /** Length of a step, seconds */ step: number;
      /** Whether the machine is being recorded now */ recording: boolean;
      /** What was asked for */
      series: {
        /** Its name */ name: string;
        /** What its values are: percent, bytes, bytes_per_second, celsius, watts or processes; of a sensor of your own what the settings say, which may be nothing */
        unit: string;
        /** What it measures */ description: string;
        /** Mean of each step; null: nothing was recorded then */ mean: (number | null)[];
        /** Least of each step; null: nothing was recorded then */ least: (number | null)[];
        /** Most of each step; null: nothing was recorded then */ most: (number | null)[];
        /** The highest value of the whole time; null: nothing was recorded */
        peak: {
          /** When it was recorded, Unix milliseconds: to the sample for a day, to five minutes before that */ at: number;
          /** The highest of "most" */ value: number;
        } | null;
      }[];
      /** The processes that used most CPU or memory in this time */
      processes: {
        /** Process ID */ pid: number;
        /** Process name */ name: string;
        /** Mean of the whole time, percent; 100 is one core */ cpu: number;
        /** Most at any time, percent; 100 is one core */ most_cpu: number;
        /** Most resident memory, bytes */ memory: number;
      }[];
      /** The programs that used most CPU or memory in this time: processes of one name together */
      programs: {
        /** Name of the processes */ name: string;
        /** Processes of this name that were among the busiest */ count: number;
        /** Mean of the whole time, percent; 100 is one core */ cpu: number;
        /** Most at any time, percent; 100 is one core */ most_cpu: number;
        /** Most resident memory at any time, bytes */ memory: number;
      }[];
      /** What happened in this time, oldest first; 500 at most */
      events: {
        /** Unix milliseconds */ at: number;
        /** start, stop, sleep, wake, clock, session, link, mount, order, agent, alert and others */ kind: string;
        /** What happened */ text: string;
      }[];
      /** Every series there is, of each with at most 100 devices */ names: string[];
    };
  };
  /** Presses a key, with others held, and releases all of them */
  KEYBOARD_KEYPRESS: {
    data: {
      /** A character, or a name: backspace, delete, enter, tab, escape, up, down, left, right, home, end, pageup, pagedown, f1-f24, command, alt, control, shift, right_shift, space, printscreen, insert, menu, audio_mute, audio_vol_down, audio_vol_up, audio_play, audio_stop, audio_pause, audio_prev, audio_next, audio_rewind, audio_forward, audio_repeat, audio_random, numpad_0-numpad_9, numpad_lock, numpad_+ (and -, *, /, ., enter), lights_mon_up, lights_mon_down, lights_kbd_toggle, lights_kbd_up, lights_kbd_down */
      key: string;
      /** Keys to hold meanwhile: control, shift, alt, command, right_shift … */ modifiers?: string[] | null | undefined;
      /** Milliseconds to hold the key; default 0 */ delay?: number | null | undefined;
    };
    result: {
      /** What was pressed */ key: string;
      /** What was held meanwhile */ modifiers: string[];
    };
  };
  /** Types text into the focused window */
  KEYBOARD_TEXT: {
    data: {
      /** Text to type; any Unicode; line ends are typed as Enter, tabs as Tab */ text: string;
      /** Milliseconds between characters; default 0. All delays together are 60 seconds at most */
      delay?: number | null | undefined;
    };
    result: {
      /** How many characters were typed */ characters: number;
    };
  };
  /** Stops everything that is being typed or waits to be typed, from every client */
  KEYBOARD_CANCEL: {
    data: object;
    result: {
      /** How many keys and texts were being typed or queued */ cancelled: number;
    };
  };
  /** Plays, pauses, skips, seeks, and sets volume, shuffle and repeat of a media player */
  MEDIA_CONTROL: {
    data: {
      /** PLAY, PAUSE, PLAY_PAUSE, STOP, NEXT, PREVIOUS, SEEK (value: seconds from here, negative goes back), POSITION (value: seconds from the beginning), REWIND, FASTFORWARD (value: seconds, 10 unless given), VOLUME (value: 0-100), VOLUME_UP, VOLUME_DOWN (value: percent, 5 unless given), MUTE (toggles, and restores the level), SHUFFLE (value: boolean) or REPEAT (value: 0 off, 1 one title, 2 all) */
      action: string;
      /** Value for the action; see action */ value?: number | boolean | string | null | undefined;
      /** Name of a player, as listed by the module media; the current one if omitted */ player?: string | null | undefined;
    };
    result: {
      /** What was done */ action: string;
      /** Name of the player that did it; null: the system sound was changed */ player: string | null;
      /** New volume, 0-100; null if the action is not about volume */ volume: number | null;
    };
  };
  /** Says a text aloud, after those that wait */
  SPEECH_SAY: {
    data: {
      /** What is said; control characters become spaces */ text: string;
      /** Language of the voice, such as de or en-GB; default that of the synthesiser */ language?: string | null | undefined;
      /** Speed relative to the usual one; default 100 */ rate?: number | null | undefined;
      /** Volume relative to the usual one; default 100 */ volume?: number | null | undefined;
    };
    result: {
      /** The program that speaks: speech-dispatcher or espeak-ng */ by: string;
      /** Number of texts that are spoken before this one */ ahead: number;
    };
  };
  /** Ends the speech, with all texts that wait */
  SPEECH_CANCEL: {
    data: object;
    result: {
      /** How many were ended */ ended: number;
    };
  };
  /** Plays a sound from an address or a known directory, in place of what it plays already */
  MEDIA_PLAY: {
    data: {
      /** An http or https address of a sound of at most 16 MiB, not on this machine itself */
      url?: string | null | undefined;
      /** Instead: a file inside a known directory; absolute, or with ~/ */ path?: string | null | undefined;
      /** Volume relative to the usual one; default 100 */ volume?: number | null | undefined;
      /** Id of an output in the module audio; default: the usual one */ output?: string | null | undefined;
    };
    result: {
      /** The program that plays: mpv or ffplay */ by: string;
    };
  };
  /** Ends the playback of a sound */
  MEDIA_STOP: {
    data: object;
    result: {
      /** How many were ended */ ended: number;
    };
  };
  /** Wakes another machine on a network this one is connected to (wake-on-LAN) */
  NETWORK_WAKE: {
    data: {
      /** Hardware address of the machine to wake, such as aa:bb:cc:dd:ee:ff */ mac: string;
      /** Broadcast address of a network this machine is connected to, or 255.255.255.255; left out: all of these networks */
      broadcast?: string | null | undefined;
      /** UDP port; 9 when left out */ port?: number | null | undefined;
    };
    result: {
      /** Hardware address that was called */ mac: string;
      /** Where the packet was sent: the interface and the broadcast address */
      sent: {
        interface: string;
        broadcast: string;
      }[];
    };
  };
  /** Shows a notification on the desktop, and reports which of its buttons was pressed */
  NOTIFICATION: {
    data: {
      /** First line of the notification */ title: string;
      /** Text below the title; always shown as plain text */ message?: string | null | undefined;
      /** Name in the icon theme, data URL of a picture, or a path in a known directory */ icon?: string | null | undefined;
      /** Larger picture; name, data URL or path as for the icon */ image?: string | null | undefined;
      /** Urgency; critical notifications stay until they are closed */
      urgency?: 'low' | 'normal' | 'critical' | null | undefined;
      /** Buttons; pressing one sends NOTIFICATION_ACTION to the connection that sent this; on Windows, after a restart, to the other connections of its token */
      actions?: {
        /** Returned when the button is pressed */ command: string;
        /** Label of the button */ label: string;
        /** Returned together with the command */ data?: unknown | undefined;
      }[] | null | undefined;
      /** Milliseconds on the screen; 0: until it is closed; if omitted, the desktop decides */
      timeout?: number | null | undefined;
      /** The same as timeout */ duration?: number | null | undefined;
      /** Name in the sound theme, data URL of a sound, or a path in a known directory */ sound?: string | null | undefined;
      /** A sound with its own volume; takes precedence over sound */
      audio?: {
        /** As sound */ source: string;
        /** 0-100; 100 unless given */ volume?: number | null | undefined;
      } | null | undefined;
      /** Address that a click opens: http, https or mailto */ actionUrl?: string | null | undefined;
      /** Path in a known directory that a click opens */ actionPath?: string | null | undefined;
      /** id of an earlier notification of the same token to replace */ replaces?: number | null | undefined;
      /** Seconds to wait for a button before answering; default 0 */ wait?: number | null | undefined;
    };
    result: {
      /** Number of the notification, to replace or close it */ id: number;
      /** Only if waiting was asked for: the command of the pressed button, `default` for a click, null for none */
      pressed?: string | null | undefined;
    };
  };
  /** Closes a notification that was sent with the same token */
  NOTIFICATION_CLOSE: {
    data: {
      /** Number of a notification that was sent with the same token */ id: number;
    };
    result: {
      /** Number of the notification */ id: number;
    };
  };
  /** Moves the pointer to a place, or by a distance */
  POINTER_MOVE: {
    data: {
      /** Where to, from the left: in the virtual desktop, as x of the module displays, or on the given display */
      x?: number | null | undefined;
      /** Where to, from the top: in the virtual desktop, as y of the module displays, or on the given display */
      y?: number | null | undefined;
      /** id of a display, as listed by the module displays; x and y then count its pixels from its upper left corner */
      display?: string | null | undefined;
      /** By how much to the right, instead of x and y; negative: to the left */ dx?: number | null | undefined;
      /** By how much down, instead of x and y; negative: up */ dy?: number | null | undefined;
    };
    result: {
      /** id of the display it was moved to; null after a move by dx and dy */ display: string | null;
      /** Where it is on that display, in its pixels; null after a move by dx and dy */ x: number | null;
      /** Where it is on that display, in its pixels; null after a move by dx and dy */ y: number | null;
    };
  };
  /** Clicks a button of the pointer, where it is or at a place */
  POINTER_CLICK: {
    data: {
      /** Which button; default left */ button?: 'left' | 'middle' | 'right' | null | undefined;
      /** How often: 2 is a double click; default 1 */ count?: number | null | undefined;
      /** Moves there first, as pointer.move does; left out: clicks where the pointer is */ x?: number | null | undefined;
      /** Moves there first, as pointer.move does; left out: clicks where the pointer is */ y?: number | null | undefined;
      /** id of a display, as listed by the module displays; x and y then count its pixels from its upper left corner */
      display?: string | null | undefined;
    };
    result: {
      /** What was clicked */ button: 'left' | 'middle' | 'right';
      /** How often */ count: number;
    };
  };
  /** Turns the wheel of the pointer */
  POINTER_SCROLL: {
    data: {
      /** Steps of the wheel to the right; negative: to the left */ dx?: number | null | undefined;
      /** Steps of the wheel down; negative: up */ dy?: number | null | undefined;
    };
    result: {
      /** Steps to the right */ dx: number;
      /** Steps down */ dy: number;
    };
  };
  /** Puts the machine to sleep */
  POWER_SLEEP: {
    data: {
      /** Seconds to wait first; default 0 */ delay?: number | null | undefined;
      /** When to do it, instead of delay: HH:MM by the clock of the machine, or an ISO time, within the next 24 hours */
      at?: string | null | undefined;
      /** Do it even if a program is blocking it (with an inhibitor lock) */ force?: boolean | null | undefined;
    };
    result: {
      /** What was ordered */ action: string;
      /** When it happens or happened, ISO 8601 in UTC */ at: string;
    };
  };
  /** Hibernates the machine */
  POWER_HIBERNATE: {
    data: ActionRequests['POWER_SLEEP']['data'];
    result: {
      /** What was ordered */ action: string;
      /** When it happens or happened, ISO 8601 in UTC */ at: string;
    };
  };
  /** Restarts the machine */
  POWER_RESTART: {
    data: ActionRequests['POWER_SLEEP']['data'];
    result: {
      /** What was ordered */ action: string;
      /** When it happens or happened, ISO 8601 in UTC */ at: string;
    };
  };
  /** Shuts the machine down */
  POWER_SHUTDOWN: {
    data: ActionRequests['POWER_SLEEP']['data'];
    result: {
      /** What was ordered */ action: string;
      /** When it happens or happened, ISO 8601 in UTC */ at: string;
    };
  };
  /** Locks the user's session */
  POWER_LOCK: {
    data: ActionRequests['POWER_SLEEP']['data'];
    result: {
      /** What was ordered */ action: string;
      /** When it happens or happened, ISO 8601 in UTC */ at: string;
    };
  };
  /** Logs the user out */
  POWER_LOGOUT: {
    data: ActionRequests['POWER_SLEEP']['data'];
    result: {
      /** What was ordered */ action: string;
      /** When it happens or happened, ISO 8601 in UTC */ at: string;
    };
  };
  /** Cancels the pending power order */
  POWER_CANCEL: {
    data: object;
    result: {
      /** What was ordered */ action: string;
      /** When it happens or happened, ISO 8601 in UTC */ at: string;
    };
  };
  /** Returns the pending power order and its time */
  GET_POWER_PENDING: {
    data: Selection;
    result: {
      /** The pending order; null: none */
      pending: {
        /** What was ordered, such as restart */ action: string;
        /** When it happens, ISO 8601 in UTC */ at: string;
        /** Name of the token it was ordered with */ token: string;
      } | null;
    };
  };
  /** Shows everything about one process; its command line takes the scope command or admin */
  GET_PROCESS: {
    data: {
      /** Process ID */ id: number;
      /** Answer only if the process has this start_time, as the processes module reports it */
      start_time?: number | undefined;
    } & Selection;
    result: {
      /** Process ID */ id: number;
      /** Identifies the process together with its ID: clock ticks since boot */ start_time: number;
      /** Process name */ name: string;
      /** ID of the process that started it, or took it over; 0: none */ parent_id: number;
      /** State, in the words of the processes module */ status: string;
      /** Owner */ username: string | null;
      /** CPU time used lately, percent; 100 is one core */ cpu_usage: number | null;
      /** Resident share of the physical memory, 0-100 */ memory_usage: number | null;
      /** When the process was started, Unix seconds */ created: number | null;
      /** Program file */ path: string | null;
      /** Working directory */ working_directory: string | null;
      /** CPU priority: 19 gives way to everything, 0 is usual, -20 comes first */ nice: number;
      /** Disk priority */
      io_priority: {
        /** none: it follows the CPU priority */ class: 'none' | 'idle' | 'best_effort' | 'realtime';
        /** 0 comes first, 7 last; null: this class has no levels */ level: number | null;
      } | null;
      /** Number of threads */ threads: number;
      /** Number of open files, sockets and pipes included */ open_files: number | null;
      /** Control group */ cgroup: string | null;
      /** Unit of systemd it belongs to */ unit: string | null;
      /** Unit of the user's own systemd it belongs to */ user_unit: string | null;
      /** The container it runs in, by its control group */
      container: {
        /** docker, podman, containerd, cri-o, kubernetes, lxc, systemd-nspawn or machine */ engine: string;
        /** ID or name of the container */ id: string;
      } | null;
      /** Disk I/O */
      io: {
        /** Read from disks since its start */ read_bytes: number | null;
        /** Written to disks since its start */ written_bytes: number | null;
        /** Read from disks, bytes per second, during the measurement */ read_per_second: number | null;
        /** Written to disks, bytes per second, during the measurement */ written_per_second: number | null;
      } | null;
      /** GPUs that it uses */
      gpus: {
        /** Address of the GPU on the PCI bus, or the name of its device */ id: string;
        /** Share of the time its busiest engine worked for this process, 0-100 */ usage: number | null;
      }[] | null;
      /** The program and its arguments, at most 64 KiB; takes the scope command or admin */ command_line: string[] | null;
      /** Duration of the measurement, for rates and for GPUs */ measured_ms: number;
      /** Why fields are null, or lists are incomplete */
      reasons: {
        field: string;
        reason: string;
      }[];
    };
  };
  /** Lists the five processes that use most CPU, memory and disk I/O */
  GET_BUSIEST_PROCESSES: {
    data: Selection;
    result: {
      cpu: {
        /** Process ID */ id: number;
        start_time: number;
        name: string;
        /** CPU time, percent; 100 is one core */ cpu_usage: number | null;
      }[];
      memory: {
        /** Process ID */ id: number;
        start_time: number;
        name: string;
        /** Share of the physical memory, 0-100 */ memory_usage: number | null;
      }[];
      /** Those that read from or wrote to disks during the measurement */
      disk: {
        /** Process ID */ id: number;
        start_time: number;
        name: string;
        /** Read from disks, bytes per second */ read_per_second: number | null;
        /** Written to disks, bytes per second */ written_per_second: number | null;
      }[] | null;
      /** Always null: the kernel does not count it by process */ network: null;
      /** Why fields are null, or lists are incomplete */
      reasons: {
        field: string;
        reason: string;
      }[];
    };
  };
  /** Ends, stops or continues a process, which its ID and its start time identify */
  PROCESS_SIGNAL: {
    data: {
      /** Process ID */ id: number;
      /** start_time of the process, as the processes module reports it: no other process is touched */ start_time: number;
      /** Name of the process: one with another name is left alone */ name?: string | undefined;
      /** terminate: ask it to end (SIGTERM); kill: end it at once, without saving anything (SIGKILL); stop: halt it (SIGSTOP); continue: let it go on (SIGCONT) */
      signal: 'terminate' | 'kill' | 'stop' | 'continue';
    };
    result: {
      /** Process ID */ id: number;
      /** When it was started, as the processes module reports it */ start_time: number;
      /** Name of the process */ name: string;
      signal: 'terminate' | 'kill' | 'stop' | 'continue';
      /** What the process does a moment later: ended, or its state in the words of the processes module */ status: string;
    };
  };
  /** Sets the CPU priority of a process, which its ID and its start time identify */
  PROCESS_NICE: {
    data: {
      /** Process ID */ id: number;
      /** start_time of the process, as the processes module reports it: no other process is touched */ start_time: number;
      /** CPU priority of all its threads: 19 gives way to everything, 0 is usual, -20 comes first */ nice: number;
    };
    result: {
      /** Process ID */ id: number;
      /** When it was started, as the processes module reports it */ start_time: number;
      /** Name of the process */ name: string;
      /** As the system reports it afterwards */ nice: number;
    };
  };
  /** Sets the disk priority of a process, which its ID and its start time identify */
  PROCESS_IONICE: {
    data: {
      /** Process ID */ id: number;
      /** start_time of the process, as the processes module reports it: no other process is touched */ start_time: number;
      /** idle: only when no other process wants the disk; best_effort: usual; realtime: first */
      class: 'idle' | 'best_effort' | 'realtime';
      /** 0 comes first, 7 last, 4 unless given; not for idle */ level?: number | undefined;
    };
    result: {
      /** Process ID */ id: number;
      /** When it was started, as the processes module reports it */ start_time: number;
      /** Name of the process */ name: string;
      class: 'idle' | 'best_effort' | 'realtime';
      /** 0 to 7; null: this class has none */ level: number | null;
    };
  };
  /** Answers the open permission prompt; for browsers with the scope admin and for the command line only */
  PROMPT_ANSWER: {
    data: {
      /** Id of the prompt, from the module prompts */ id: string;
      /** allow counts only from one second after the prompt was opened; less: only part of it */
      answer: 'allow' | 'less' | 'deny';
    };
    result: {
      /** Id of the prompt */ id: string;
      /** The answer that counted */ answer: 'allow' | 'less' | 'deny';
    };
  };
  /** Takes a picture of a display, or of the window in front, where that was allowed on the machine itself; notifies the user at the screen */
  SCREEN_CAPTURE: {
    data: {
      /** id of a display, as listed by the module displays; the primary one if omitted */
      display?: string | null | undefined;
      /** active: the window in front instead of a display, as it is seen on the screen; X11 and Windows only */
      window?: 'active' | null | undefined;
      /** png, also if omitted, or lossless webp: often less than half as large, and takes longer */
      format?: 'png' | 'webp' | null | undefined;
      /** Pixels; a wider picture is scaled down to this width, and keeps its proportions */
      max_width?: number | null | undefined;
    } & Selection;
    result: {
      /** How the picture is encoded */ format: 'png' | 'webp';
      /** id of the display; null where it shows a window, or all displays together, as the portals of desktops do */
      display: string | null;
      /** Width of the picture, pixels */ width: number;
      /** Height of the picture, pixels */ height: number;
      /** Size of the picture, bytes */ size: number;
      /** The picture in base64, at most 16 MiB before that */ picture: string;
    };
  };
  /** Starts a service that the settings allow */
  SERVICE_START: {
    data: {
      /** Whole name of the unit, such as nginx.service; of the user: user:sync.service; on Windows: Spooler */ unit: string;
    };
    result: {
      /** As it was given */ unit: string;
      action: 'start' | 'stop' | 'restart' | 'enable' | 'disable';
      /** What the unit does afterwards: active, inactive …; null: not queried */ active_state: string | null;
      /** The same in more detail */ sub_state: string | null;
      /** Whether it starts with the machine now; null: not queried */ enabled: string | null;
      /** false: it takes longer, and goes on */ done: boolean;
    };
  };
  /** Stops a service that the settings allow */
  SERVICE_STOP: {
    data: {
      /** Whole name of the unit, such as nginx.service; of the user: user:sync.service; on Windows: Spooler */ unit: string;
    };
    result: ActionRequests['SERVICE_START']['result'];
  };
  /** Restarts a service that the settings allow */
  SERVICE_RESTART: {
    data: {
      /** Whole name of the unit, such as nginx.service; of the user: user:sync.service; on Windows: Spooler */ unit: string;
    };
    result: ActionRequests['SERVICE_START']['result'];
  };
  /** Lets a service that the settings allow start with the machine */
  SERVICE_ENABLE: {
    data: {
      /** Whole name of the unit, such as nginx.service; of the user: user:sync.service; on Windows: Spooler */ unit: string;
    };
    result: ActionRequests['SERVICE_START']['result'];
  };
  /** Keeps a service that the settings allow from starting with the machine */
  SERVICE_DISABLE: {
    data: {
      /** Whole name of the unit, such as nginx.service; of the user: user:sync.service; on Windows: Spooler */ unit: string;
    };
    result: ActionRequests['SERVICE_START']['result'];
  };
  /** Reads the last lines a service has written to the system log */
  GET_SERVICE_LOGS: {
    data: {
      /** Name of a unit of the module services; of the user: user:sync.service */ unit: string;
      /** How many of the last lines; 50 unless given */ lines?: number | undefined;
    } & Selection;
    result: {
      /** As it was given */ unit: string;
      /** The last lines, oldest first */
      lines: {
        /** When it was written, Unix seconds */ at: number;
        /** 0 emergency, 3 error, 4 warning, 6 information, 7 for developers; null: it has none */ priority: number | null;
        /** As the program wrote it, up to 4096 bytes; a program that shows it has to make it harmless */ text: string;
      }[];
      /** Whether there are more than fit: 512 KiB, or what was found within 5 s */ truncated: boolean;
      /** Why lines are missing, and how to get them; null: they are not */ reason: string | null;
    };
  };
  /** Switches do not disturb on, which silences the notifications of the desktop, or off */
  SESSION_SILENCE: {
    data: {
      /** true switches it on, false off */ on: boolean;
    };
    result: {
      /** What it was switched to */ on: boolean;
      /** The program that received the request, such as dunst or GNOME */ by: string;
      /** Whether it was seen to be so; some programs do not show it, and a night light may wait for the evening */
      confirmed: boolean;
    };
  };
  /** Switches the night light of GNOME or Plasma on or off */
  SESSION_NIGHTLIGHT: {
    data: {
      /** true switches it on, false off */ on: boolean;
    };
    result: ActionRequests['SESSION_SILENCE']['result'];
  };
  /** Keeps the machine awake for a reason and a time */
  POWER_INHIBIT: {
    data: {
      /** Why, shown to people at the machine and in the dashboard */ reason: string;
      /** For how long, up to a day; default 3600. 0 ends every request, like power.uninhibit */
      seconds?: number | null | undefined;
    };
    result: {
      /** For power.uninhibit; null: requests were ended */ id: string | null;
      /** When it ends, ISO 8601 in UTC; null: requests were ended */ until: string | null;
      /** idle: the machine does not sleep because it is unused; sleep: it cannot be put to sleep either */
      blocks: ('sleep' | 'idle')[];
    };
  };
  /** Ends one or all requests that keep the machine awake */
  POWER_UNINHIBIT: {
    data: {
      /** The request to end; omitted: every one */ id?: string | null | undefined;
    };
    result: {
      /** Number of requests that ended */ ended: number;
    };
  };
  /** Sets the power profile, such as power-saver or performance */
  POWER_PROFILE: {
    data: {
      /** One of power_profiles in the module session */ profile: string;
    };
    result: {
      /** The profile in use now */ profile: string;
    };
  };
  /** Returns all settings */
  GET_SETTINGS: {
    data: Selection;
    result: {
      /** Start Hostler at login, as the command "service install" does. Always shows the actual state */ autostart: boolean;
      /** Show an icon with a menu beside the clock, on Windows and on Linux desktops that have a place for such icons */
      systemTray: boolean;
      /** Named keyboard shortcuts, stored for clients; each is {name, key} */
      hotkeys: {
        name: string;
        key: string;
      }[];
      /** Lowest level that is written to the log */ logLevel: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
      /** How the log is written: text for people, or json for programs: one object a line with time, level and message */
      logFormat: 'text' | 'json';
      commands: {
        /** The only programs that clients can run; each is {id, name, command, workingDir, arguments}, with an absolute path as command. Without a working directory a program runs in the home directory */
        allowlist: {
          id: string;
          name: string;
          command: string;
          workingDir: string;
          arguments: string[];
        }[];
      };
      services: {
        /** The only services that clients can start, stop, restart, enable or disable: whole names of units of systemd such as nginx.service, and user:sync.service for units of the user; on Windows names of services such as Spooler */
        allowlist: string[];
      };
      containers: {
        /** Names of the only containers that clients can start, stop, restart, pause and resume */ allowlist: string[];
        /** Further sockets of Docker or Podman to read, as absolute paths; the usual ones are found anyway. Name only sockets that you trust */
        sockets: string[];
      };
      custom: {
        /** Values of your own; each is {id, name, unit, command or file, interval, parse, path, record}. Every token with the scope read can read them */
        sensors: {
          /** Identifies the sensor in MQTT, Home Assistant and metrics, so do not change it later */ id: string;
          name: string;
          /** Unit of a number, such as °C; may be empty */ unit: string;
          /** id of the entry in commands.allowlist whose output is the value; empty if a file is read */ command: string;
          /** Absolute path of a file whose content is the value; empty if a command is run */ file: string;
          /** Least number of seconds between two readings */ interval: number;
          /** How to read the text: as the number it begins with, JSON, text, or lines of text */
          parse: 'number' | 'json' | 'text' | 'lines';
          /** For JSON, the part to show, as names and numbers separated by dots; empty means all */ path: string;
          /** Whether a number is kept in the history, where charts and alerts find it as custom.<id>; it is then read all the time */
          record: boolean;
        }[];
      };
      disks: {
        /** Bind and squashfs mounts to include in the module disks */ allowedSecondaryMountPoints: string[];
      };
      media: {
        /** Additional directories whose files are served; each is {name, path} */
        directories: {
          name: string;
          path: string;
        }[];
      };
      files: {
        /** Serve hidden files and directories too, those whose names begin with a dot; the files of Hostler itself are never served */
        hidden: boolean;
      };
      battery: {
        /** Address of the upsd (Network UPS Tools) whose UPSes are read, without a login; empty means none */ nut: string;
      };
      /** How often listeners that name no interval get updates of each module; otherwise at most every 15 s */
      modules: Record<string, {
        /** Milliseconds between updates */ interval: number;
      }>;
      server: {
        /** Address to listen on; empty means all addresses */ host: string;
        /** Port to listen on */ port: number;
        /** Which clients can reach the port without TLS. everywhere: as server.host specifies; local: this machine only; off: none */
        plain: 'everywhere' | 'local' | 'off';
        /** Encrypted access. auto: with a certificate that this machine makes and renews itself; files: with your own, see tlsCertificate and tlsKey */
        tls: 'off' | 'auto' | 'files';
        /** Port for encrypted access */ tlsPort: number;
        /** File with your certificate and those between it and its authority (PEM); changes are picked up */
        tlsCertificate: string;
        /** File with the private key of your certificate (PEM), not encrypted; it must not be world-readable */ tlsKey: string;
        /** Path below which a proxy serves this machine, such as /hostler; empty means none */ basePath: string;
        /** Addresses of proxies that name that path in X-Forwarded-Prefix, and protocol and address of the client in X-Forwarded-Proto and X-Forwarded-For */
        trustedProxies: string[];
      };
      security: {
        /** Additional host names under which this service is reached */ allowedHosts: string[];
        /** Origins of other web pages that may use this service, as scheme://host:port */ allowedOrigins: string[];
        /** Let administrators change protected settings from other machines; can be set only in the file or with the CLI */
        remoteAdmin: boolean;
      };
      mcp: {
        /** What agents may use. read_only: reading; standard: actions as well; full: also the tools that are off by default */
        mode: 'read_only' | 'standard' | 'full';
        /** Accept agents from other machines, not only from this one */ allowRemote: boolean;
        /** Tools to offer although they are off by default, such as type_text or open_url */ tools: string[];
        /** Ids of the commands that agents may run once the user agrees */ commands: string[];
        /** Accept the word of the agent's own program that the user agreed, even without a desktop. An agent could then approve its own calls; can be set only in the file or with the CLI */
        trustClientConfirmation: boolean;
        /** Let agents ask for a token by OAuth. The user agrees on this machine, as for a device that pairs */ oauth: boolean;
      };
      pairing: {
        /** Let other devices, and agents by OAuth, ask for access: the user agrees at the screen of this machine or with the command "approve", or gives a code that the command "pair" prints */
        enabled: boolean;
      };
      discovery: {
        /** Announce the service on the network (mDNS); never done while it listens on loopback only */ enabled: boolean;
        /** Announce only where the service is: no machine name, MAC address, UUID or version. Home Assistant then needs the address typed in */
        quiet: boolean;
      };
      metrics: {
        /** Serve /metrics for Prometheus and similar; requires a token */ enabled: boolean;
      };
      glances: {
        /** Serve the REST API of Glances at /api/4 and /api/3, for dashboards that read it. Clients send a token with the scope read as the password */
        enabled: boolean;
        /** Also serve it without a token at a secret address, for clients that cannot send a password; the command "glances url" prints it */
        privatePath: boolean;
      };
      mqtt: {
        /** MQTT broker to connect to: mqtt://host:1883, mqtts://host:8883, ws:// or wss://; empty means none. mqtt:// and ws:// are not encrypted */
        url: '' | string;
        /** User name at the broker; the command "mqtt setup" asks for the password */ username: string;
        /** PEM file with the authorities that sign the broker's certificate; empty means those of the runtime */
        caFile: string;
        /** PEM file with the certificate this machine shows to the broker; empty means none */ certificateFile: string;
        /** PEM file with the key of that certificate */ keyFile: string;
        /** Name the broker's certificate must have; empty means the host in mqtt.url */ serverName: string;
        /** First part of every topic; the id of the machine follows */ topic: string;
        /** Seconds between two updates of a module */ interval: number;
        /** Modules to publish; none means all */ modules: string[];
        /** What every client that can publish at the broker may do on this machine. With read alone nothing can be controlled; can be set only in the file or with the CLI */
        scopes: ('read' | 'files' | 'media' | 'notify' | 'chat' | 'control' | 'input' | 'pointer' | 'power' | 'processes' | 'services' | 'containers' | 'command')[];
        /** How the machine announces itself to Home Assistant. device: one message (2024.12 and later); entity: one for each entity, also for openHAB and older versions */
        discovery: 'device' | 'entity' | 'off';
      };
      otlp: {
        /** Address of an OpenTelemetry collector, or of Prometheus, to which the numbers of this machine are sent (OTLP over HTTP); empty means none. /v1/metrics is added unless it is there */
        endpoint: '' | string;
        /** Encoding of what is sent; every collector takes protobuf, some take JSON as well */ encoding: 'protobuf' | 'json';
        /** Seconds between two pushes */ interval: number;
        /** File with headers to send along, such as Authorization: Bearer …, one on each line; it must be readable only by you */
        headersFile: string;
        /** File with the certificates of the authorities to trust for this address (PEM); empty means the system's */
        caFile: string;
      };
      history: {
        /** Record how the machine is doing: samples for a day, steps of five minutes for 30 days */ enabled: boolean;
        /** Seconds between two samples */ interval: number;
        /** Seconds between two samples while the machine runs on its battery */ batteryInterval: number;
      };
      session: {
        /** Seconds without a key or a movement of the pointer after which the session counts as idle, where the desktop lets Hostler choose */
        idleAfter: number;
      };
      screen: {
        /** Let tokens with the scope screen take pictures of the screen; the user at the screen is notified each time. Can be set only in the file or with the CLI */
        allowed: boolean;
        /** Ask the user each time an agent wants a picture of the screen, or the program of the agent where mcp.trustClientConfirmation is set. Can be set only in the file or with the CLI */
        askForAgents: boolean;
      };
      alerts: {
        /** What to watch; each is {id, name, enabled, when, notify, quiet}, with when as {series, above or below, clear, for} or {event, match, percent, for} */
        rules: {
          /** Identifies the rule in MQTT, Home Assistant and metrics, so do not change it later */ id: string;
          /** Name that people see */ name?: string | undefined;
          /** Whether the rule is watched */ enabled: boolean;
          /** Condition of the alert */
          when: {
            /** A recorded series, such as cpu, memory or temperature/KEY */ series?: string | undefined;
            /** The alert begins when the series is above this */ above?: number | undefined;
            /** The alert begins when the series is below this */ below?: number | undefined;
            /** The alert ends when the series is back at this; left out: 5 % back from the threshold */ clear?: number | undefined;
            /** Instead of a series: something that happens, such as disk_full, session or mount */ event?: string | undefined;
            /** Only events about this, such as /home; * stands for anything */ match?: string | undefined;
            /** For disk_full: how full */ percent?: number | undefined;
            /** Seconds the condition must last before the alert begins; left out: 0 */ for?: number | undefined;
          };
          /** How urgent it is, for targets that know priorities */ priority: 'low' | 'normal' | 'high' | 'urgent';
          /** Who is notified: screen, mqtt, or the id of a webhook or target. Empty: the alert is only shown */ notify: string[];
          /** Local time during which no notifications are sent; alerts still active at its end are sent then */
          quiet?: {
            /** When it begins, such as 22:00 */ from: string;
            /** When it ends, such as 07:00 */ to: string;
          } | undefined;
        }[];
        /** Where alerts can be sent; each is {id, url, keyFile, caFile}. What is sent is signed */
        webhooks: {
          /** Name by which rules refer to it */ id: string;
          /** Where alerts are sent */ url: string;
          /** File with the key that signs what is sent; empty means the one that the command "alerts secret" prints */
          keyFile: string;
          /** File with the certificates of the authorities to trust for this address (PEM); empty means the system's */
          caFile: string;
        }[];
        /** Services that receive alerts; each is {id, caFile, body}. The page Alerts, or the command "alerts add", sets its secret URL */
        targets: {
          /** Name by which rules refer to it */ id: string;
          /** File with the certificates of the authorities to trust for this address (PEM); empty means the system's */
          caFile: string;
          /** For json:// and jsons://: the body, with placeholders for the title, the message and others; empty means the default */
          body: string;
        }[];
        /** Local time without notifications for rules without one of their own, such as 22:00-07:00; empty: none */
        quiet: string;
      };
      dashboard: {
        /** Other machines with Hostler that the dashboard shows; each is {name, url}, such as http://nas.local:9170. The dashboard may connect to these and no others */
        machines: {
          name: string;
          url: string;
        }[];
      };
      chat: {
        /** OAuth address for the voice chat; empty means the one of the application's vendor */ oauthUrl: '' | string;
      };
      releases: {
        /** Address of the release list, for the latest version that is shown; empty means no check */ url: '' | string;
      };
    };
  };
  /** Returns the settings that the administrator of the machine has locked, and the file that locks them */
  GET_SETTINGS_LOCKS: {
    data: Selection;
    result: {
      /** The file of the administrator; null: nothing is locked */ file: string | null;
      /** Settings that cannot be changed, such as mcp.mode */ keys: string[];
    };
  };
  /** Changes settings; those not sent keep their values, and those the administrator has locked cannot be changed */
  UPDATE_SETTINGS: {
    data: Record<string, unknown>;
    result: ActionRequests['GET_SETTINGS']['result'];
  };
}

/** Type of the message that answers each event; other messages with the same id come in addition. */
export const actionReplies = {
  GET_ALERTS: 'ALERTS',
  TEST_ALERT: 'ALERT_TESTED',
  GET_ALERT_TARGETS: 'ALERT_TARGETS',
  ADD_ALERT_TARGET: 'ALERT_TARGET_ADDED',
  REMOVE_ALERT_TARGET: 'ALERT_TARGET_REMOVED',
  EXIT_APPLICATION: 'APPLICATION_EXITING',
  AUDIO_CONTROL: 'AUDIO_CONTROLLED',
  BLUETOOTH_CONNECT: 'BLUETOOTH_CONNECTED',
  BLUETOOTH_DISCONNECT: 'BLUETOOTH_DISCONNECTED',
  BLUETOOTH_POWER: 'BLUETOOTH_POWER_SET',
  CHAT_CONTROL: 'CHAT_CONTROLLED',
  DISCORD_CONTROL: 'DISCORD_CONTROLLED',
  GET_CLIPBOARD: 'CLIPBOARD',
  CLIPBOARD_SET: 'CLIPBOARD_CHANGED',
  COMMAND_EXECUTE: 'COMMAND_COMPLETED',
  CONTAINER_START: 'CONTAINER_STARTED',
  CONTAINER_STOP: 'CONTAINER_STOPPED',
  CONTAINER_RESTART: 'CONTAINER_RESTARTED',
  CONTAINER_PAUSE: 'CONTAINER_PAUSED',
  CONTAINER_RESUME: 'CONTAINER_RESUMED',
  GET_CONTAINER_LOGS: 'CONTAINER_LOGS',
  CONTROL_PAUSE: 'CONTROL_PAUSED',
  CONTROL_RESUME: 'CONTROL_RESUMED',
  GET_CONTROL: 'CONTROL',
  OPEN: 'OPENED',
  GET_DISK_MOUNTS: 'DISK_MOUNTS',
  DISPLAY_BRIGHTNESS: 'DISPLAY_BRIGHTNESS_SET',
  DISPLAY_POWER: 'DISPLAY_POWER_SET',
  DISPLAY_CONTRAST: 'DISPLAY_CONTRAST_SET',
  DISPLAY_INPUT: 'DISPLAY_INPUT_SET',
  GET_DIRECTORIES: 'DIRECTORIES',
  GET_DIRECTORY: 'DIRECTORY',
  GET_FILES: 'FILES',
  GET_FILE: 'FILE',
  VALIDATE_DIRECTORY: 'DIRECTORY_VALIDATED',
  GET_HISTORY: 'HISTORY',
  KEYBOARD_KEYPRESS: 'KEYBOARD_KEY_PRESSED',
  KEYBOARD_TEXT: 'KEYBOARD_TEXT_SENT',
  KEYBOARD_CANCEL: 'KEYBOARD_CANCELLED',
  MEDIA_CONTROL: 'MEDIA_CONTROLLED',
  SPEECH_SAY: 'SPEECH_SAYING',
  SPEECH_CANCEL: 'SPEECH_CANCELLED',
  MEDIA_PLAY: 'MEDIA_PLAYING',
  MEDIA_STOP: 'MEDIA_STOPPED',
  NETWORK_WAKE: 'NETWORK_WOKEN',
  NOTIFICATION: 'NOTIFICATION_SENT',
  NOTIFICATION_CLOSE: 'NOTIFICATION_CLOSED',
  POINTER_MOVE: 'POINTER_MOVED',
  POINTER_CLICK: 'POINTER_CLICKED',
  POINTER_SCROLL: 'POINTER_SCROLLED',
  POWER_SLEEP: 'POWER_SLEEPING',
  POWER_HIBERNATE: 'POWER_HIBERNATING',
  POWER_RESTART: 'POWER_RESTARTING',
  POWER_SHUTDOWN: 'POWER_SHUTTINGDOWN',
  POWER_LOCK: 'POWER_LOCKING',
  POWER_LOGOUT: 'POWER_LOGGINGOUT',
  POWER_CANCEL: 'POWER_CANCELLED',
  GET_POWER_PENDING: 'POWER_PENDING',
  GET_PROCESS: 'PROCESS',
  GET_BUSIEST_PROCESSES: 'BUSIEST_PROCESSES',
  PROCESS_SIGNAL: 'PROCESS_SIGNALLED',
  PROCESS_NICE: 'PROCESS_NICE_SET',
  PROCESS_IONICE: 'PROCESS_IONICE_SET',
  PROMPT_ANSWER: 'PROMPT_ANSWERED',
  SCREEN_CAPTURE: 'SCREEN_CAPTURED',
  SERVICE_START: 'SERVICE_STARTED',
  SERVICE_STOP: 'SERVICE_STOPPED',
  SERVICE_RESTART: 'SERVICE_RESTARTED',
  SERVICE_ENABLE: 'SERVICE_ENABLED',
  SERVICE_DISABLE: 'SERVICE_DISABLED',
  GET_SERVICE_LOGS: 'SERVICE_LOGS',
  SESSION_SILENCE: 'SESSION_SILENCE_SET',
  SESSION_NIGHTLIGHT: 'SESSION_NIGHTLIGHT_SET',
  POWER_INHIBIT: 'POWER_INHIBITED',
  POWER_UNINHIBIT: 'POWER_UNINHIBITED',
  POWER_PROFILE: 'POWER_PROFILE_SET',
  GET_SETTINGS: 'SETTINGS_RESULT',
  GET_SETTINGS_LOCKS: 'SETTINGS_LOCKS_RESULT',
  UPDATE_SETTINGS: 'SETTINGS_UPDATED',
} as const;
