# For each line with the name of a module on stdin: what psutil has of its fields, and the CPU microseconds that took.
import json, sys, time
import psutil

fields = ['pid', 'name', 'cpu_percent', 'memory_percent', 'create_time', 'exe', 'status', 'username', 'cwd']

def disks():
    for partition in psutil.disk_partitions(all=False):
        psutil.disk_usage(partition.mountpoint)
    psutil.disk_io_counters(perdisk=True)

modules = {
    'battery': lambda: psutil.sensors_battery(),
    'cpu': lambda: (psutil.cpu_count(), psutil.cpu_freq(percpu=True), psutil.getloadavg(), psutil.cpu_stats(),
                    psutil.cpu_times(), psutil.cpu_times(percpu=True),
                    psutil.cpu_times_percent(), psutil.cpu_times_percent(percpu=True)),
    'disks': disks,
    'memory': lambda: (psutil.virtual_memory(), psutil.swap_memory()),
    'networks': lambda: (psutil.net_if_addrs(), psutil.net_if_stats(), psutil.net_io_counters(), psutil.net_connections('inet')),
    'processes': lambda: [process.info for process in psutil.process_iter(fields)],
    'sensors': lambda: (psutil.sensors_temperatures(), psutil.sensors_fans()),
    'system': lambda: (psutil.boot_time(), psutil.users()),
}

for line in sys.stdin:
    read = modules.get(line.strip())
    begun = time.process_time_ns()
    if read is not None:
        read()
    spent = (time.process_time_ns() - begun) / 1000
    print(json.dumps({} if read is None else {'cpu': spent}), flush=True)
