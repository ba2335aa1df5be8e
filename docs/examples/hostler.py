"""Reads a machine and acts on it, with Python's standard library only.

    HOSTLER_TOKEN="$(hostler token)" python3 hostler.py http://127.0.0.1:9170
    HOSTLER_TOKEN="$(hostler token)" python3 hostler.py http://127.0.0.1:9170 media.control '{"action": "PAUSE"}'
"""
import json, os, sys, urllib.error, urllib.request

direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # http_proxy would get the token in clear text


def ask(base, path, body=None):
    """GET, or POST where there is a body. What is refused raises, with the sentence of the service."""
    request = urllib.request.Request(base + path)
    request.add_unredirected_header("X-API-Token", os.environ.get("HOSTLER_TOKEN", ""))
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    try:
        with direct.open(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refused:
        raise SystemExit(json.load(refused)["error"])
    except urllib.error.URLError as problem:
        raise SystemExit(f"{base} cannot be reached: {problem.reason}")


base, *action = sys.argv[1:] or ["http://127.0.0.1:9170"]
if action:
    print(ask(base, "/api/" + action[0].replace(".", "/"), json.loads(action[1]) if action[1:] else {})["message"])
else:
    print("memory", ask(base, "/api/data/memory?fields=virtual.percent")["virtual"]["percent"], "%")
    for process in ask(base, "/api/data/processes?sort=-cpu_usage&limit=5&fields=name,cpu_usage"):
        print(f"{process['cpu_usage']:6.1f} %  {process['name']!r}")  # escapes what a name could do to the terminal
