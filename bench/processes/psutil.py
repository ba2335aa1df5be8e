# For each line on stdin: the fields of our payload of every process, and the CPU milliseconds that took.
import json, sys, time
import psutil

fields = ['pid', 'name', 'cpu_percent', 'memory_percent', 'create_time', 'exe', 'status', 'username', 'cwd']
for line in sys.stdin:
    begun = time.process_time()
    processes = [process.info for process in psutil.process_iter(fields)]
    print(json.dumps({'cpu': (time.process_time() - begun) * 1000, 'processes': len(processes)}), flush=True)
